// REQUIRES: sinter
// RUN: %python %S/../Inputs/levels.py %s %t | FileCheck %s

// A chain of pointwise operators with broadcasts.

// CHECK: host graph: agrees
// CHECK-NEXT: host group: agrees
// CHECK-NEXT: host tloop: agrees
// CHECK-NEXT: host npu: agrees
// CHECK-NEXT: ascend-910b graph: agrees
// CHECK-NEXT: ascend-910b group: agrees
// CHECK-NEXT: ascend-910b tloop: agrees
// CHECK-NEXT: ascend-910b npu: agrees

func.func @main(%x: tensor<4x40xf32> {graph.name = "x"}, %s: tensor<40xf32> {graph.name = "s"}, %b: tensor<4x1xf32> {graph.name = "b"})
    -> (tensor<4x40xf32> {graph.name = "y"}) {
  %m = graph.mul %x, %s : (tensor<4x40xf32>, tensor<40xf32>) -> tensor<4x40xf32>
  %a = graph.add %m, %b : (tensor<4x40xf32>, tensor<4x1xf32>) -> tensor<4x40xf32>
  %t = graph.tanh %a : tensor<4x40xf32>
  %y = graph.relu %t : tensor<4x40xf32>
  return %y : tensor<4x40xf32>
}
