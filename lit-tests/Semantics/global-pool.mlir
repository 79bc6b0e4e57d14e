// REQUIRES: sinter
// RUN: %python %S/../Inputs/levels.py %s %t | FileCheck %s

// The average of each channel, then a gate on the whole.

// CHECK: host graph: agrees
// CHECK-NEXT: host group: agrees
// CHECK-NEXT: host tloop: agrees
// CHECK-NEXT: host npu: agrees
// CHECK-NEXT: ascend-910b graph: agrees
// CHECK-NEXT: ascend-910b group: agrees
// CHECK-NEXT: ascend-910b tloop: agrees
// CHECK-NEXT: ascend-910b npu: agrees

func.func @main(%x: tensor<1x8x6x7xf32> {graph.name = "x"}) -> (tensor<1x8x6x7xf32> {graph.name = "y"}) {
  %p = graph.reduce mean %x axes [2, 3] keep_dims true : tensor<1x8x6x7xf32> -> tensor<1x8x1x1xf32>
  %g = graph.sigmoid %p : tensor<1x8x1x1xf32>
  %y = graph.mul %x, %g : (tensor<1x8x6x7xf32>, tensor<1x8x1x1xf32>) -> tensor<1x8x6x7xf32>
  return %y : tensor<1x8x6x7xf32>
}
