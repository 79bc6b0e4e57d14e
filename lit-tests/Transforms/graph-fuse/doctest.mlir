// RUN: sinter-opt %s --graph-fuse=policy=greedy | FileCheck %s

// Three operators, one kernel.

// CHECK: graph.group @k0_mul_add_sigmoid(
func.func @main(%x: tensor<32x32xf32>, %s: tensor<32xf32>, %b: tensor<32xf32>) -> tensor<32x32xf32> {
  %0 = graph.mul %x, %s : (tensor<32x32xf32>, tensor<32xf32>) -> tensor<32x32xf32>
  %1 = graph.add %0, %b : (tensor<32x32xf32>, tensor<32xf32>) -> tensor<32x32xf32>
  %2 = graph.sigmoid %1 : tensor<32x32xf32>
  return %2 : tensor<32x32xf32>
}
