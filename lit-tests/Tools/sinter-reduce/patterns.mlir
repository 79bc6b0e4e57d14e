// RUN: sinter-reduce %s --reduction-tree='traversal-mode=0 test=%S/Inputs/has-exp.sh' | FileCheck %s

// MLIR's own reducer uses the patterns: groups dissolve.

// CHECK-LABEL: func.func @main
// CHECK-NOT: graph.group
// CHECK: graph.exp
// CHECK: return
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %g = graph.group @k(%x, %c : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %0 = graph.relu %a : tensor<4xf32>
    %1 = graph.exp %0 : tensor<4xf32>
    %2 = graph.add %1, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    graph.yield %2 : tensor<4xf32>
  } -> tensor<4xf32>
  %y = graph.relu %g : tensor<4xf32>
  return %y : tensor<4xf32>
}
