// RUN: not sinter-opt %s --graph-fuse --remark-policy=all --remark-format=emitRemark --remarks-filter=graph-fuse -o /dev/null 2>&1 | FileCheck %s

// Sorting has no loops to be fused with.

// CHECK: remark: {{.*}}[Missed] no-loop-form | Category:graph-fuse
// CHECK-SAME: no loops describe graph.sort
func.func @main(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>) {
  %v, %i = graph.sort %x axis 1 : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4x8xi64> loc("Sort_0")
  return %v, %i : tensor<4x8xf32>, tensor<4x8xi64>
}
