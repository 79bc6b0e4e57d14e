// REQUIRES: sinter
// RUN: %python %S/../Inputs/levels.py %s %t | FileCheck %s

// Softmax along the last axis.

// CHECK: host graph: agrees
// CHECK-NEXT: host group: agrees
// CHECK-NEXT: host tloop: agrees
// CHECK-NEXT: host npu: agrees
// CHECK-NEXT: ascend-910b graph: agrees
// CHECK-NEXT: ascend-910b group: agrees
// CHECK-NEXT: ascend-910b tloop: agrees
// CHECK-NEXT: ascend-910b npu: agrees

func.func @main(%x: tensor<6x33xf32> {graph.name = "x"}) -> (tensor<6x33xf32> {graph.name = "y"}) {
  %y = graph.softmax %x axis 1 : tensor<6x33xf32>
  return %y : tensor<6x33xf32>
}
