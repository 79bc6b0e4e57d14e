// REQUIRES: sinter
// RUN: %python %S/../Inputs/levels.py %s %t | FileCheck %s

// A product of which one side is transposed first.

// CHECK: host graph: agrees
// CHECK-NEXT: host group: agrees
// CHECK-NEXT: host tloop: agrees
// CHECK-NEXT: host npu: agrees
// CHECK-NEXT: ascend-910b graph: agrees
// CHECK-NEXT: ascend-910b group: agrees
// CHECK-NEXT: ascend-910b tloop: agrees
// CHECK-NEXT: ascend-910b npu: agrees

func.func @main(%x: tensor<12x20xf32> {graph.name = "x"}, %w: tensor<24x20xf32> {graph.name = "w"})
    -> (tensor<12x24xf32> {graph.name = "y"}) {
  %t = graph.transpose %w perm [1, 0] : tensor<24x20xf32> -> tensor<20x24xf32>
  %y = graph.matmul %x, %t : (tensor<12x20xf32>, tensor<20x24xf32>) -> tensor<12x24xf32>
  return %y : tensor<12x24xf32>
}
