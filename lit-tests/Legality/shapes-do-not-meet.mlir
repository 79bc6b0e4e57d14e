// RUN: sinter-opt %s --graph-fuse --remark-policy=all --remark-format=emitRemark --remarks-filter=graph-fuse -o /dev/null 2>&1 | FileCheck %s

// Two big parts of one value have no extent in common.

// CHECK: remark: {{.*}}[Missed] shapes-do-not-meet | Category:graph-fuse
// CHECK-SAME: have no axis in common
func.func @main(%x: tensor<1001x1003xf32>) -> (tensor<701x809xf32>, tensor<601x907xf32>) {
  %0 = graph.slice %x starts [0, 0] sizes [701, 809] steps [1, 1] : tensor<1001x1003xf32> -> tensor<701x809xf32> loc("Slice_0")
  %1 = graph.exp %0 : tensor<701x809xf32> loc("Exp_1")
  %2 = graph.slice %x starts [200, 50] sizes [601, 907] steps [1, 1] : tensor<1001x1003xf32> -> tensor<601x907xf32> loc("Slice_2")
  %3 = graph.exp %2 : tensor<601x907xf32> loc("Exp_3")
  return %1, %3 : tensor<701x809xf32>, tensor<601x907xf32>
}
