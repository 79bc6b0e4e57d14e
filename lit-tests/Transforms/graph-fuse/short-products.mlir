// RUN: sinter-opt %s --graph-fuse | FileCheck %s
// RUN: sinter-opt %s --graph-fuse=numerics=rounding | FileCheck %s --check-prefix=DIRECT
// RUN: sinter-opt %s --graph-fuse=device=ascend-910b | FileCheck %s --check-prefix=DIRECT

// Rows of a convolution of 3x3 taps are computed several at a time by fewer products (four instead of six), where that kernel is
// the cheaper one and the numerics class allows it. The weights are combined beforehand, and neighbours
// are part of the kernel.

// CHECK-LABEL: func.func @main
// CHECK-DAG: graph.constant {{.*}} : tensor<[[#ROWS:]]x64x64x3xf32>
// CHECK: graph.group @k{{[0-9]+}}_relu_winograd_conv{{(_relu)?}}(
// CHECK: graph.relu
// CHECK: graph.winograd_conv {{.*}} pads [1, 1, 1, 1]

// DIRECT-NOT: graph.winograd_conv
// DIRECT: graph.conv
// DIRECT-NOT: graph.winograd_conv
func.func @main(%x: tensor<1x64x14x14xf32>) -> tensor<1x64x14x14xf32> {
  %w = graph.constant dense<0.1> : tensor<64x64x3x3xf32>
  %b = graph.constant dense<0.5> : tensor<64xf32>
  %r = graph.relu %x : tensor<1x64x14x14xf32>
  %0 = graph.conv %r, %w, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1
    : (tensor<1x64x14x14xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>) -> tensor<1x64x14x14xf32>
  %1 = graph.relu %0 : tensor<1x64x14x14xf32>
  return %1 : tensor<1x64x14x14xf32>
}
