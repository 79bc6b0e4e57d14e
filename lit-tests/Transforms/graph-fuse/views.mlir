// RUN: sinter-opt %s --graph-fuse=policy=greedy | FileCheck %s

// A reshape of a stored value is a view: it stays outside the groups.

// CHECK-LABEL: func.func @main
// CHECK: %[[S:.+]] = graph.group
// CHECK: graph.softmax
// CHECK: %[[R:.+]] = graph.reshape %[[S]] shape [2, 3, 24]
// CHECK: return %[[R]]
func.func @main(%x: tensor<6x24xf32>) -> tensor<2x3x24xf32> {
  %0 = graph.softmax %x axis 1 : tensor<6x24xf32>
  %1 = graph.reshape %0 shape [2, 3, 24] : tensor<6x24xf32> -> tensor<2x3x24xf32>
  return %1 : tensor<2x3x24xf32>
}
