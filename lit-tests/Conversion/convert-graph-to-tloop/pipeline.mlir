// RUN: sinter-opt %s --graph-fuse=policy=greedy --sinter-graph-to-tloop | FileCheck %s

// The whole way from operators to scheduled kernels.

// CHECK-LABEL: tloop.kernel @k0_matmul_add_relu
// CHECK-SAME: schedule = #tloop.schedule<
// CHECK: tloop.contract
// CHECK: finish ins
// CHECK: tloop.launch @k0_matmul_add_relu(
func.func @main(%x: tensor<64x64xf32>, %b: tensor<64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.matmul %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = graph.add %0, %b : (tensor<64x64xf32>, tensor<64xf32>) -> tensor<64x64xf32>
  %2 = graph.relu %1 : tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}
