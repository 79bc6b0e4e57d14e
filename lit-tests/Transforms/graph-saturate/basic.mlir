// RUN: sinter-opt %s --graph-saturate | FileCheck %s

// The product with the sigmoid and the operator that it is are one class; the cheaper one is chosen.

// CHECK-LABEL: func.func @main
// CHECK: %[[SILU:.+]] = graph.silu
// CHECK: %[[SIGMOID:.+]] = graph.sigmoid
// CHECK: %[[MUL:.+]] = graph.mul
// CHECK: %[[CLASS:.+]] = graph.eclass %[[SILU]], %[[MUL]] {chosen = 0 : i64}
// CHECK: return %[[CLASS]]
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.sigmoid %x : tensor<4xf32>
  %1 = graph.mul %x, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
