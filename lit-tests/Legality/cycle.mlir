// RUN: sinter-opt %s --graph-fuse --remark-policy=all --remark-format=emitRemark --remarks-filter=graph-fuse -o /dev/null 2>&1 | FileCheck %s

// The addition needs the second convolution, which needs the first one's result whole.

// CHECK: remark: {{.*}}[Missed] cycle | Category:graph-fuse
// CHECK-SAME: would have to run between them
// CHECK-SAME: were in the kernel too
func.func @main(%x: tensor<1x16x28x28xf32>) -> tensor<1x16x28x28xf32> {
  %w = graph.constant dense<0.1> : tensor<16x16x3x3xf32>
  %0 = graph.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1
    : (tensor<1x16x28x28xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x28x28xf32> loc("Conv_0")
  %1 = graph.conv %0, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1
    : (tensor<1x16x28x28xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x28x28xf32> loc("Conv_1")
  %2 = graph.conv %1, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1
    : (tensor<1x16x28x28xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x28x28xf32> loc("Conv_2")
  %3 = graph.add %2, %0
    : (tensor<1x16x28x28xf32>, tensor<1x16x28x28xf32>) -> tensor<1x16x28x28xf32> loc("Add_3")
  return %3 : tensor<1x16x28x28xf32>
}
