// RUN: sinter-opt %s --graph-fuse=device=ascend-910b --remark-policy=all --remark-format=emitRemark --remarks-filter=graph-fuse -o /dev/null 2>&1 | FileCheck %s

// The cube's result reaches the vector unit through device memory. With a route it would not.

// CHECK: remark: {{.*}}[Missed] no-route | Category:graph-fuse
// CHECK-SAME: the matrix unit's result passes through device memory
// CHECK-SAME: with a route from l0c to ub
func.func @main(%x: tensor<4096x512xf32>, %w: tensor<512x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = graph.matmul %x, %w : (tensor<4096x512xf32>, tensor<512x4096xf32>) -> tensor<4096x4096xf32> loc("MatMul_0")
  %1 = graph.erf %0 : tensor<4096x4096xf32> loc("Erf_1")
  return %1 : tensor<4096x4096xf32>
}
