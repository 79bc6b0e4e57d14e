// RUN: @kebab@-opt %s --verify-diagnostics --split-input-file

func.func @first_of_integers(%x: tensor<2xi32>) -> tensor<2xi32> {
  // expected-error @+1 {{'@snake@.first' op needs a floating-point operand, not tensor<2xi32>}}
  %y = @snake@.first %x : tensor<2xi32>
  return %y : tensor<2xi32>
}
