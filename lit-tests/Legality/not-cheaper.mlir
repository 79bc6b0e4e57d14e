// RUN: sinter-opt %s --graph-fuse=numerics=rounding --remark-policy=all --remark-format=emitRemark --remarks-filter=graph-fuse -o /dev/null 2>&1 | FileCheck %s

// A maximum over windows would compute the convolution again for each of the nine points.

// CHECK: remark: {{.*}}[Missed] not-cheaper | Category:graph-fuse
// CHECK-SAME: together they would take {{[0-9.]+}} us, apart {{[0-9.]+}} us
// CHECK-SAME: if it took {{[0-9.]+}} us less
func.func @main(%x: tensor<1x64x56x56xf32>) -> tensor<1x64x54x54xf32> {
  %w = graph.constant dense<0.1> : tensor<64x64x3x3xf32>
  %0 = graph.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1
    : (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x56x56xf32> loc("Conv_0")
  %1 = graph.relu %0 : tensor<1x64x56x56xf32> loc("Relu_1")
  %2 = graph.pool max %1 kernel [3, 3] strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1]
    : tensor<1x64x56x56xf32> -> tensor<1x64x54x54xf32> loc("MaxPool_2")
  return %2 : tensor<1x64x54x54xf32>
}
