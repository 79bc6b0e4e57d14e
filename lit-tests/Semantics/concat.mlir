// REQUIRES: sinter
// RUN: %python %S/../Inputs/levels.py %s %t | FileCheck %s

// Parts of one value, computed each on its own.

// CHECK: host graph: agrees
// CHECK-NEXT: host group: agrees
// CHECK-NEXT: host tloop: agrees
// CHECK-NEXT: host npu: agrees
// CHECK-NEXT: ascend-910b graph: agrees
// CHECK-NEXT: ascend-910b group: agrees
// CHECK-NEXT: ascend-910b tloop: agrees
// CHECK-NEXT: ascend-910b npu: agrees

func.func @main(%x: tensor<2x16xf32> {graph.name = "x"}, %z: tensor<2x24xf32> {graph.name = "z"})
    -> (tensor<2x40xf32> {graph.name = "y"}) {
  %a = graph.relu %x : tensor<2x16xf32>
  %b = graph.sigmoid %z : tensor<2x24xf32>
  %y = graph.concat %a, %b axis 1 : (tensor<2x16xf32>, tensor<2x24xf32>) -> tensor<2x40xf32>
  return %y : tensor<2x40xf32>
}
