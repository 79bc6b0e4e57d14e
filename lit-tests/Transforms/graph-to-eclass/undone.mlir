// RUN: sinter-opt %s --pass-pipeline="builtin.module(func.func(graph-to-eclass,graph-extract))" | FileCheck %s

// Extraction from classes of one member gives the function back.

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.+]]: tensor<4xf32>)
// CHECK-NEXT: %[[R:.+]] = graph.relu %[[X]]
// CHECK-NEXT: %[[E:.+]] = graph.exp %[[R]]
// CHECK-NEXT: return %[[E]]
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32>
  %1 = graph.exp %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
