// REQUIRES: sinter
// RUN: sinter explain %s --device host+avx2 | FileCheck %s --check-prefixes=CHECK,KERNELS
// RUN: sinter explain %s --device host+avx2 --advice --all | FileCheck %s --check-prefixes=CHECK,ADVICE

// A module without names is called by its file, its operators by their lines.

// CHECK: {{^}}unnamed on host: 6 operators in 1 kernels
// KERNELS: unnamed.mlir:[[@LINE+5]], unnamed.mlir:[[@LINE+6]],
// ADVICE: fragment  compute hard_swish instead of silu in 1 place
// ADVICE-NEXT: {{^ +}}unnamed.mlir:[[@LINE+7]], unnamed.mlir:[[@LINE+8]]

func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.relu %x : tensor<4x8xf32>
  %1 = graph.add %0, %y : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = graph.mul %1, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = graph.sub %2, %y : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = graph.sigmoid %3 : tensor<4x8xf32>
  %5 = graph.mul %3, %4 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %5 : tensor<4x8xf32>
}
