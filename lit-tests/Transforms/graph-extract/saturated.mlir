// RUN: sinter-opt %s --pass-pipeline="builtin.module(graph-saturate,func.func(graph-extract))" | FileCheck %s

// Saturation and extraction in steps: the batch normalisation is folded into the convolution.

// CHECK-LABEL: func.func @main
// CHECK: graph.conv
// CHECK-NOT: graph.batch_norm
// CHECK: return
func.func @main(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = graph.constant dense<0.5> : tensor<2x2x1x1xf32>
  %s = graph.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %b = graph.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %m = graph.constant dense<[0.5, 0.25]> : tensor<2xf32>
  %v = graph.constant dense<[1.0, 4.0]> : tensor<2xf32>
  %0 = graph.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1
    : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = graph.batch_norm %0, %s, %b, %m, %v epsilon 1.000000e-05
    : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  return %1 : tensor<1x2x4x4xf32>
}
