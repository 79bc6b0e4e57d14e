// REQUIRES: sinter
// RUN: %python %S/../Inputs/levels.py %s %t | FileCheck %s

// Boxes of more dimensions than one transfer has.

// CHECK: host graph: agrees
// CHECK-NEXT: host group: agrees
// CHECK-NEXT: host tloop: agrees
// CHECK-NEXT: host npu: agrees
// CHECK-NEXT: ascend-910b graph: agrees
// CHECK-NEXT: ascend-910b group: agrees
// CHECK-NEXT: ascend-910b tloop: agrees
// CHECK-NEXT: ascend-910b npu: agrees

func.func @main(%x: tensor<2x3x4x5x3x2xf32> {graph.name = "x"}, %w: tensor<2x1x2x1x2x1x2xf32> {graph.name = "w"},
                %v: tensor<1x3x1x3x1x3x1xf32> {graph.name = "v"})
    -> (tensor<2x5x3x3x4x2xf32> {graph.name = "y"}, tensor<2x3x2x3x2x3x2xf32> {graph.name = "z"}) {
  %0 = graph.relu %x : tensor<2x3x4x5x3x2xf32>
  %1 = graph.transpose %0 perm [5, 3, 1, 4, 2, 0] : tensor<2x3x4x5x3x2xf32> -> tensor<2x5x3x3x4x2xf32>
  %y = graph.exp %1 : tensor<2x5x3x3x4x2xf32>
  %2 = graph.add %w, %v : (tensor<2x1x2x1x2x1x2xf32>, tensor<1x3x1x3x1x3x1xf32>) -> tensor<2x3x2x3x2x3x2xf32>
  %z = graph.exp %2 : tensor<2x3x2x3x2x3x2xf32>
  return %y, %z : tensor<2x5x3x3x4x2xf32>, tensor<2x3x2x3x2x3x2xf32>
}
