// RUN: sinter-opt %s --graph-fuse=policy=greedy | FileCheck %s

// The parts of a concatenation are stored in place; it stays outside the groups and costs nothing.

// CHECK-LABEL: func.func @main
// CHECK: %[[A:.+]] = graph.group
// CHECK-SAME: placements = [#graph.placement<"buffer0" at [{{0, (0|8)}}] of [64, 24]>]
// CHECK: %[[B:.+]] = graph.group
// CHECK-SAME: placements = [#graph.placement<"buffer0" at [{{0, (0|8)}}] of [64, 24]>]
// CHECK: graph.concat {{.*}} axis 1 {graph.placement = #graph.placement<"buffer0" at [0, 0] of [64, 24]>}
// CHECK: graph.group
func.func @main(%x: tensor<64x8xf32>, %y: tensor<64x16xf32>, %w: tensor<24x8xf32>) -> tensor<64x8xf32> {
  %0 = graph.softmax %x axis 1 : tensor<64x8xf32>
  %1 = graph.softmax %y axis 1 : tensor<64x16xf32>
  %2 = graph.concat %0, %1 axis 1 : (tensor<64x8xf32>, tensor<64x16xf32>) -> tensor<64x24xf32>
  %3 = graph.matmul %2, %w : (tensor<64x24xf32>, tensor<24x8xf32>) -> tensor<64x8xf32>
  return %3 : tensor<64x8xf32>
}
