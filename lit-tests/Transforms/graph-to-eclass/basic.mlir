// RUN: sinter-opt %s --pass-pipeline="builtin.module(func.func(graph-to-eclass))" | FileCheck %s

// Users read an operator's result through its class; constants have none.

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.+]]: tensor<4xf32>)
// CHECK-NEXT: %[[C:.+]] = graph.constant
// CHECK-NEXT: %[[R:.+]] = graph.relu %[[X]]
// CHECK-NEXT: %[[RC:.+]] = graph.eclass %[[R]]
// CHECK-NEXT: %[[A:.+]] = graph.add %[[RC]], %[[C]]
// CHECK-NEXT: %[[AC:.+]] = graph.eclass %[[A]]
// CHECK-NEXT: return %[[AC]]
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = graph.constant dense<2.0> : tensor<4xf32>
  %0 = graph.relu %x : tensor<4xf32>
  %1 = graph.add %0, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
