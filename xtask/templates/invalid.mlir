// RUN: sinter-opt %s --verify-diagnostics --split-input-file

func.func @@snake@_of_integers(%x: tensor<2xi32>) -> tensor<2xi32> {
  // expected-error @+1 {{'graph.@snake@' op needs a floating-point operand, not tensor<2xi32>}}
  %y = graph.@snake@ %x : tensor<2xi32>
  return %y : tensor<2xi32>
}
