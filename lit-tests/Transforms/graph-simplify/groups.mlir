// RUN: sinter-opt %s --graph-simplify | FileCheck %s

// Groups are dissolved into their operators.

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.+]]: tensor<4xf32>
// CHECK-NEXT: %[[R:.+]] = graph.relu %[[X]]
// CHECK-NEXT: return %[[R]]
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.group @k(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %0 = graph.relu %a : tensor<4xf32>
    graph.yield %0 : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
