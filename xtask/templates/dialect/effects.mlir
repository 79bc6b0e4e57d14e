// RUN: @kebab@-opt %s --cse | FileCheck %s

// Equal operators become one, unused ones go.

// CHECK-LABEL: func.func @equal
// CHECK-SAME: (%[[X:.+]]: tensor<2xf32>)
// CHECK-NEXT: %[[Y:.+]] = @snake@.first %[[X]]
// CHECK-NEXT: return %[[Y]], %[[Y]]
func.func @equal(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %unused = @snake@.first %x : tensor<2xf32>
  %a = @snake@.first %x : tensor<2xf32>
  %b = @snake@.first %x : tensor<2xf32>
  return %a, %b : tensor<2xf32>, tensor<2xf32>
}
