// RUN: @kebab@-opt %s --inline | FileCheck %s

// CHECK-LABEL: func.func @caller
// CHECK-NEXT: @snake@.first
func.func @caller(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = call @callee(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

func.func private @callee(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = @snake@.first %x : tensor<2xf32>
  return %y : tensor<2xf32>
}
