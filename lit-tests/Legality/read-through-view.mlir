// RUN: sinter-opt %s --graph-fuse --remark-policy=all --remark-format=emitRemark --remarks-filter=graph-fuse -o /dev/null 2>&1 | FileCheck %s

// The product reads the mean under another shape. Between kernels that is free.

// CHECK: remark: {{.*}}[Missed] read-through-view | Category:graph-fuse
// CHECK-SAME: the result is read through Reshape_1, a view of its stored bytes
func.func @main(%x: tensor<1x64x8x8xf32>, %w: tensor<64x256xf32>) -> tensor<1x256xf32> {
  %0 = graph.reduce mean %x axes [2, 3] keep_dims true : tensor<1x64x8x8xf32> -> tensor<1x64x1x1xf32> loc("Mean_0")
  %1 = graph.reshape %0 shape [1, 64] : tensor<1x64x1x1xf32> -> tensor<1x64xf32> loc("Reshape_1")
  %2 = graph.matmul %1, %w : (tensor<1x64xf32>, tensor<64x256xf32>) -> tensor<1x256xf32> loc("MatMul_2")
  return %2 : tensor<1x256xf32>
}
