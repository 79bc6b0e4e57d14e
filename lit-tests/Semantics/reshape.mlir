// REQUIRES: sinter
// RUN: %python %S/../Inputs/levels.py %s %t | FileCheck %s

// A reshape that no tile divides, of what a convolution stores in another order: more than a scratchpad holds.

// CHECK: host graph: agrees
// CHECK-NEXT: host group: agrees
// CHECK-NEXT: host tloop: agrees
// CHECK-NEXT: host npu: agrees
// CHECK-NEXT: ascend-910b graph: agrees
// CHECK-NEXT: ascend-910b group: agrees
// CHECK-NEXT: ascend-910b tloop: agrees
// CHECK-NEXT: ascend-910b npu: agrees

func.func @main(%x: tensor<1x96x50x50xf32> {graph.name = "x"}, %w: tensor<96x96x1x1xf32> {graph.name = "w"},
                %b: tensor<96xf32> {graph.name = "b"}, %c: tensor<3200xf32> {graph.name = "c"})
    -> (tensor<1x75x3200xf32> {graph.name = "y"}) {
  %0 = graph.conv %x, %w, %b strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1
    : (tensor<1x96x50x50xf32>, tensor<96x96x1x1xf32>, tensor<96xf32>) -> tensor<1x96x50x50xf32>
  %1 = graph.relu %0 : tensor<1x96x50x50xf32>
  %2 = graph.reshape %1 shape [1, 75, 3200] : tensor<1x96x50x50xf32> -> tensor<1x75x3200xf32>
  %y = graph.add %2, %c : (tensor<1x75x3200xf32>, tensor<3200xf32>) -> tensor<1x75x3200xf32>
  return %y : tensor<1x75x3200xf32>
}
