// RUN: sinter-opt %s --graph-saturate | FileCheck %s

// A value plus zero is the value: the way that needs itself is left out.

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.+]]: tensor<4xf32>
// CHECK-NOT: graph.eclass
// CHECK: return %[[X]]
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = graph.constant dense<0.0> : tensor<4xf32>
  %0 = graph.sub %x, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
