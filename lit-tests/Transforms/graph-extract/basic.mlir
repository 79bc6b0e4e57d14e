// RUN: sinter-opt %s --pass-pipeline="builtin.module(func.func(graph-extract))" | FileCheck %s
// RUN: sinter-opt %s --pass-pipeline="builtin.module(func.func(graph-extract{policy=first}))" | FileCheck %s --check-prefix=FIRST

// The chosen member stays, the others go.

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.+]]: tensor<4xf32>)
// CHECK-NEXT: %[[S:.+]] = graph.silu %[[X]]
// CHECK-NEXT: return %[[S]]

// FIRST-LABEL: func.func @main
// FIRST: graph.sigmoid
// FIRST: graph.mul
// FIRST-NOT: graph.silu
// FIRST: return
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.sigmoid %x : tensor<4xf32>
  %1 = graph.mul %x, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.silu %x : tensor<4xf32>
  %3 = graph.eclass %1, %2 {chosen = 1 : i64} : tensor<4xf32>
  return %3 : tensor<4xf32>
}
