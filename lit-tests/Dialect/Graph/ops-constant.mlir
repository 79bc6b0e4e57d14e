// RUN: sinter-opt %s | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --mlir-print-op-generic | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --emit-bytecode | sinter-opt | FileCheck %s

// Constants, and operators whose results depend on data.

// CHECK-LABEL: func.func @constants(
// CHECK: [[R0:%.+]] = graph.constant dense<5.000000e-01> : tensor<1xf32>
// CHECK: [[R1:%.+]] = graph.constant dense<[1, 2, 3]> : tensor<3xi64>
// CHECK: [[R2:%.+]] = graph.constant dense_resource<weight> : tensor<2x2xf32>
// CHECK: return
func.func @constants() {
  %0 = graph.constant dense<5.000000e-01> : tensor<1xf32>
  %1 = graph.constant dense<[1, 2, 3]> : tensor<3xi64>
  %2 = graph.constant dense_resource<weight> : tensor<2x2xf32>
  return
}

// CHECK-LABEL: func.func @opaque(
// CHECK-SAME: [[X:%[^:]+]]:
// CHECK: [[R0:%.+]], [[INDICES:%.+]] = graph.sort [[X]] axis 1 : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4x8xi64>
// CHECK: [[R2:%.+]], [[INDICES_1:%.+]] = graph.sort [[X]] axis 0 descending true : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4x8xi64>
// CHECK: [[R4:%.+]], [[INDICES_3:%.+]] = graph.topk [[X]] k 5 axis 1 : tensor<4x8xf32> -> tensor<4x5xf32>, tensor<4x5xi64>
// CHECK: [[R6:%.+]], [[INDICES_5:%.+]] = graph.topk [[X]] k 2 axis 0 largest false : tensor<4x8xf32> -> tensor<2x8xf32>, tensor<2x8xi64>
// CHECK: [[R8:%.+]] = graph.nonzero [[X]] : tensor<4x8xf32> -> tensor<2x?xi64>
// CHECK: return
func.func @opaque(%x: tensor<4x8xf32>) {
  %0, %1 = graph.sort %x axis 1 : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4x8xi64>
  %2, %3 = graph.sort %x axis 0 descending true : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4x8xi64>
  %4, %5 = graph.topk %x k 5 axis 1 : tensor<4x8xf32> -> tensor<4x5xf32>, tensor<4x5xi64>
  %6, %7 = graph.topk %x k 2 axis 0 largest false : tensor<4x8xf32> -> tensor<2x8xf32>, tensor<2x8xi64>
  %8 = graph.nonzero %x : tensor<4x8xf32> -> tensor<2x?xi64>
  return
}

// CHECK-LABEL: func.func @random(
// CHECK: [[R0:%.+]] = graph.random uniform 0.000000e+00, 1.000000e+00 seed 7 : tensor<4x8xf32>
// CHECK: [[R1:%.+]] = graph.random normal 0.000000e+00, 1.000000e+00 seed 7 : tensor<4x8xf32>
// CHECK: return
// CHECK: {-#
// CHECK: dialect_resources: {
// CHECK: builtin: {
// CHECK: weight: "0x040000000000803F000000400000404000008040"
func.func @random() {
  %0 = graph.random uniform 0.000000e+00, 1.000000e+00 seed 7 : tensor<4x8xf32>
  %1 = graph.random normal 0.000000e+00, 1.000000e+00 seed 7 : tensor<4x8xf32>
  return
}

{-#
  dialect_resources: {
    builtin: {
      weight: "0x040000000000803F000000400000404000008040"
    }
  }
#-}
