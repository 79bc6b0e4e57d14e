// RUN: sinter-opt %s --convert-graph-to-tloop | FileCheck %s

// A matrix product is a contraction.

// CHECK-LABEL: tloop.kernel @product
// CHECK: tloop.contract domain [4, 8, 16] kinds ["parallel", "parallel", "reduction"]
// CHECK-LABEL: func.func @main
// CHECK: tloop.launch @product
func.func @main(%x: tensor<4x16xf32>, %w: tensor<16x8xf32>) -> tensor<4x8xf32> {
  %y = graph.group @product(%x, %w : tensor<4x16xf32>, tensor<16x8xf32>) {
  ^bb0(%a: tensor<4x16xf32>, %b: tensor<16x8xf32>):
    %0 = graph.matmul %a, %b : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
    graph.yield %0 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
