// REQUIRES: sinter
// RUN: %python %S/../Inputs/levels.py %s %t | FileCheck %s

// A convolution with its bias and activation.

// CHECK: host graph: agrees
// CHECK-NEXT: host group: agrees
// CHECK-NEXT: host tloop: agrees
// CHECK-NEXT: host npu: agrees
// CHECK-NEXT: ascend-910b graph: agrees
// CHECK-NEXT: ascend-910b group: agrees
// CHECK-NEXT: ascend-910b tloop: agrees
// CHECK-NEXT: ascend-910b npu: agrees

func.func @main(%x: tensor<1x4x9x10xf32> {graph.name = "x"}, %w: tensor<8x4x3x3xf32> {graph.name = "w"},
                %b: tensor<8xf32> {graph.name = "b"}) -> (tensor<1x8x9x10xf32> {graph.name = "y"}) {
  %c = graph.conv %x, %w, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1
    : (tensor<1x4x9x10xf32>, tensor<8x4x3x3xf32>, tensor<8xf32>) -> tensor<1x8x9x10xf32>
  %y = graph.relu %c : tensor<1x8x9x10xf32>
  return %y : tensor<1x8x9x10xf32>
}
