// REQUIRES: sinter
// RUN: %python %S/../Inputs/levels.py %s %t | FileCheck %s

// Two convolutions in a row, the second one with a stride.

// CHECK: host graph: agrees
// CHECK-NEXT: host group: agrees
// CHECK-NEXT: host tloop: agrees
// CHECK-NEXT: host npu: agrees
// CHECK-NEXT: ascend-910b graph: agrees
// CHECK-NEXT: ascend-910b group: agrees
// CHECK-NEXT: ascend-910b tloop: agrees
// CHECK-NEXT: ascend-910b npu: agrees

func.func @main(%x: tensor<1x3x17x13xf32> {graph.name = "x"}, %w: tensor<6x3x3x3xf32> {graph.name = "w"},
                %v: tensor<5x6x3x3xf32> {graph.name = "v"}, %b: tensor<6xf32> {graph.name = "b"},
                %c: tensor<5xf32> {graph.name = "c"}) -> (tensor<1x5x9x7xf32> {graph.name = "y"}) {
  %0 = graph.conv %x, %w, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1
    : (tensor<1x3x17x13xf32>, tensor<6x3x3x3xf32>, tensor<6xf32>) -> tensor<1x6x17x13xf32>
  %1 = graph.relu %0 : tensor<1x6x17x13xf32>
  %2 = graph.conv %1, %v, %c strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] groups 1
    : (tensor<1x6x17x13xf32>, tensor<5x6x3x3xf32>, tensor<5xf32>) -> tensor<1x5x9x7xf32>
  %y = graph.relu %2 : tensor<1x5x9x7xf32>
  return %y : tensor<1x5x9x7xf32>
}
