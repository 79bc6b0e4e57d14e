// RUN: sinter-opt %s --graph-fuse=policy=greedy | FileCheck %s

// What was not fused is on the function, with its code.

// CHECK: func.func @main
// CHECK-SAME: graph.refusals = [{{.*}}#graph.decision<"{{[a-z-]+}}", nodes = ["Conv_0", "Conv_1"]
func.func @main(%x: tensor<1x16x28x28xf32>) -> tensor<1x16x28x28xf32> {
  %w = graph.constant dense<0.1> : tensor<16x16x3x3xf32>
  %0 = graph.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1
    : (tensor<1x16x28x28xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x28x28xf32> loc("Conv_0")
  %1 = graph.conv %0, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1
    : (tensor<1x16x28x28xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x28x28xf32> loc("Conv_1")
  return %1 : tensor<1x16x28x28xf32>
}
