// REQUIRES: sinter
// RUN: %python %S/../Inputs/levels.py %s %t | FileCheck %s

// A maximum over windows with padding.

// CHECK: host graph: agrees
// CHECK-NEXT: host group: agrees
// CHECK-NEXT: host tloop: agrees
// CHECK-NEXT: host npu: agrees
// CHECK-NEXT: ascend-910b graph: agrees
// CHECK-NEXT: ascend-910b group: agrees
// CHECK-NEXT: ascend-910b tloop: agrees
// CHECK-NEXT: ascend-910b npu: agrees

func.func @main(%x: tensor<1x8x9x9xf32> {graph.name = "x"}) -> (tensor<1x8x5x5xf32> {graph.name = "y"}) {
  %y = graph.pool max %x kernel [3, 3] strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] : tensor<1x8x9x9xf32> -> tensor<1x8x5x5xf32>
  return %y : tensor<1x8x5x5xf32>
}
