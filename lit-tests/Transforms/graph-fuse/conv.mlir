// RUN: sinter-opt %s --graph-fuse="policy=greedy numerics=rounding" | FileCheck %s

// A convolution takes its bias, the residual and the activation along; the weights are packed for the
// register tile, activations lie channels last.

// CHECK-LABEL: func.func @main
// CHECK-DAG: graph.constant dense<1.000000e-01> : tensor<32x32x3x3xf32>
// CHECK: graph.group @k1_conv_add_relu(
// CHECK-SAME: graph.operand_layouts = [{{.*}}#graph.layout<(d0, d1, d2, d3) ->
// CHECK: graph.conv
// CHECK: graph.add
// CHECK: graph.relu
func.func @main(%x: tensor<1x16x28x28xf32>) -> tensor<1x32x28x28xf32> {
  %v = graph.constant dense<0.2> : tensor<32x16x3x3xf32>
  %w = graph.constant dense<0.1> : tensor<32x32x3x3xf32>
  %b = graph.constant dense<0.5> : tensor<32xf32>
  %r = graph.conv %x, %v, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1
    : (tensor<1x16x28x28xf32>, tensor<32x16x3x3xf32>, tensor<32xf32>) -> tensor<1x32x28x28xf32>
  %0 = graph.conv %r, %w, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1
    : (tensor<1x32x28x28xf32>, tensor<32x32x3x3xf32>, tensor<32xf32>) -> tensor<1x32x28x28xf32>
  %1 = graph.add %0, %r : (tensor<1x32x28x28xf32>, tensor<1x32x28x28xf32>) -> tensor<1x32x28x28xf32>
  %2 = graph.relu %1 : tensor<1x32x28x28xf32>
  return %2 : tensor<1x32x28x28xf32>
}
