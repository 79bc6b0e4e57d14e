// REQUIRES: sinter
// RUN: %python %S/../Inputs/levels.py %s %t | FileCheck %s

// Nearest neighbours at twice the size, added to a value of that size.

// CHECK: host graph: agrees
// CHECK-NEXT: host group: agrees
// CHECK-NEXT: host tloop: agrees
// CHECK-NEXT: host npu: agrees
// CHECK-NEXT: ascend-910b graph: agrees
// CHECK-NEXT: ascend-910b group: agrees
// CHECK-NEXT: ascend-910b tloop: agrees
// CHECK-NEXT: ascend-910b npu: agrees

func.func @main(%x: tensor<1x4x4x6xf32> {graph.name = "x"}, %z: tensor<1x4x8x12xf32> {graph.name = "z"})
    -> (tensor<1x4x8x12xf32> {graph.name = "y"}) {
  %r = graph.resize nearest %x shape [1, 4, 8, 12] scales [1.0, 1.0, 2.0, 2.0] coordinates asymmetric rounding floor : tensor<1x4x4x6xf32> -> tensor<1x4x8x12xf32>
  %y = graph.add %r, %z : (tensor<1x4x8x12xf32>, tensor<1x4x8x12xf32>) -> tensor<1x4x8x12xf32>
  return %y : tensor<1x4x8x12xf32>
}
