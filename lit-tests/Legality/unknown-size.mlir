// RUN: not sinter-opt %s --graph-fuse --remark-policy=all --remark-format=emitRemark --remarks-filter=graph-fuse -o /dev/null 2>&1 | FileCheck %s

// Without a size there is no price and no tile.

// CHECK: remark: {{.*}}[Missed] unknown-size | Category:graph-fuse
// CHECK-SAME: an extent of tensor<?x4xf32> is unknown
// CHECK-SAME: a size for the extent
func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = graph.relu %x : tensor<?x4xf32> loc("Relu_0")
  return %0 : tensor<?x4xf32>
}
