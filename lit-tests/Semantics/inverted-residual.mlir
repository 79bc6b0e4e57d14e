// REQUIRES: sinter
// RUN: %python %S/../Inputs/levels.py %s %t | FileCheck %s

// A pointwise convolution, a depthwise one that reads it through a window, and another pointwise one.

// CHECK: host graph: agrees
// CHECK-NEXT: host group: agrees
// CHECK-NEXT: host tloop: agrees
// CHECK-NEXT: host npu: agrees
// CHECK-NEXT: ascend-910b graph: agrees
// CHECK-NEXT: ascend-910b group: agrees
// CHECK-NEXT: ascend-910b tloop: agrees
// CHECK-NEXT: ascend-910b npu: agrees

func.func @main(%x: tensor<1x4x9x11xf32> {graph.name = "x"}, %up: tensor<12x4x1x1xf32> {graph.name = "up"},
                %dw: tensor<12x1x3x3xf32> {graph.name = "dw"}, %down: tensor<4x12x1x1xf32> {graph.name = "down"},
                %b: tensor<12xf32> {graph.name = "b"}, %c: tensor<4xf32> {graph.name = "c"})
    -> (tensor<1x4x9x11xf32> {graph.name = "y"}) {
  %0 = graph.conv %x, %up, %b strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1
    : (tensor<1x4x9x11xf32>, tensor<12x4x1x1xf32>, tensor<12xf32>) -> tensor<1x12x9x11xf32>
  %1 = graph.relu %0 : tensor<1x12x9x11xf32>
  %2 = graph.conv %1, %dw, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 12
    : (tensor<1x12x9x11xf32>, tensor<12x1x3x3xf32>, tensor<12xf32>) -> tensor<1x12x9x11xf32>
  %3 = graph.relu %2 : tensor<1x12x9x11xf32>
  %4 = graph.conv %3, %down, %c strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1
    : (tensor<1x12x9x11xf32>, tensor<4x12x1x1xf32>, tensor<4xf32>) -> tensor<1x4x9x11xf32>
  %y = graph.add %4, %x : (tensor<1x4x9x11xf32>, tensor<1x4x9x11xf32>) -> tensor<1x4x9x11xf32>
  return %y : tensor<1x4x9x11xf32>
}
