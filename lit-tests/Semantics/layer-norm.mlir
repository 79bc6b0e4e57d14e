// REQUIRES: sinter
// RUN: %python %S/../Inputs/levels.py %s %t | FileCheck %s

// Layer normalisation along the last axis.

// CHECK: host graph: agrees
// CHECK-NEXT: host group: agrees
// CHECK-NEXT: host tloop: agrees
// CHECK-NEXT: host npu: agrees
// CHECK-NEXT: ascend-910b graph: agrees
// CHECK-NEXT: ascend-910b group: agrees
// CHECK-NEXT: ascend-910b tloop: agrees
// CHECK-NEXT: ascend-910b npu: agrees

func.func @main(%x: tensor<6x24xf32> {graph.name = "x"}, %s: tensor<24xf32> {graph.name = "s"}, %b: tensor<24xf32> {graph.name = "b"})
    -> (tensor<6x24xf32> {graph.name = "y"}) {
  %y = graph.layer_norm %x, %s, %b axis 1 epsilon 1.0e-05 : (tensor<6x24xf32>, tensor<24xf32>, tensor<24xf32>) -> tensor<6x24xf32>
  return %y : tensor<6x24xf32>
}
