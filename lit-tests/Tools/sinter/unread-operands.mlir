// REQUIRES: sinter

// RUN: sinter run %s --random-inputs 1 | FileCheck %s
// RUN: sinter run %s --random-inputs 1 --device ascend-910b | FileCheck %s

// A transposed convolution that is cropped to where no input reaches reads neither input nor weights.

// CHECK: y: tensor<1x2x1xf32> min 2.000000 max 3.000000 mean 2.500000

func.func @main(%x: tensor<1x1x2xf32> {graph.name = "x"}, %w: tensor<1x2x1xf32> {graph.name = "w"}) -> (tensor<1x2x1xf32> {graph.name = "y"}) {
  %b = graph.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %y = graph.conv_transpose %x, %w, %b strides [2] pads [1, 1] output_pads [0] dilations [1] groups 1 : (tensor<1x1x2xf32>, tensor<1x2x1xf32>, tensor<2xf32>) -> tensor<1x2x1xf32>
  return %y : tensor<1x2x1xf32>
}
