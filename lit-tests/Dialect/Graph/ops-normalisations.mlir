// RUN: sinter-opt %s | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --mlir-print-op-generic | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --emit-bytecode | sinter-opt | FileCheck %s

// Normalisations.

// CHECK-LABEL: func.func @softmax(
// CHECK-SAME: [[X:%[^:]+]]:
// CHECK: [[R0:%.+]] = graph.softmax [[X]] axis 1 : tensor<8x16xf32>
// CHECK: [[R1:%.+]] = graph.log_softmax [[X]] axis 0 : tensor<8x16xf32>
// CHECK: return
func.func @softmax(%x: tensor<8x16xf32>) {
  %0 = graph.softmax %x axis 1 : tensor<8x16xf32>
  %1 = graph.log_softmax %x axis 0 : tensor<8x16xf32>
  return
}

// CHECK-LABEL: func.func @layer_norm(
// CHECK-SAME: [[X:%[^:]+]]:{{.*}} [[SCALE:%[^:]+]]:{{.*}} [[BIAS:%[^:]+]]:
// CHECK: [[R0:%.+]] = graph.layer_norm [[X]], [[SCALE]] axis 2 epsilon 1.000000e-05 : (tensor<1x4x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
// CHECK: [[R1:%.+]] = graph.layer_norm [[X]], [[SCALE]], [[BIAS]] axis 2 epsilon 1.000000e-05 : (tensor<1x4x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
// CHECK: return
func.func @layer_norm(%x: tensor<1x4x16xf32>, %scale: tensor<16xf32>, %bias: tensor<16xf32>) {
  %0 = graph.layer_norm %x, %scale axis 2 epsilon 1.000000e-05 : (tensor<1x4x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %1 = graph.layer_norm %x, %scale, %bias axis 2 epsilon 1.000000e-05 : (tensor<1x4x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  return
}

// CHECK-LABEL: func.func @batch_norm(
// CHECK-SAME: [[X:%[^:]+]]:{{.*}} [[P:%[^:]+]]:
// CHECK: [[R0:%.+]] = graph.batch_norm [[X]], [[P]], [[P]], [[P]], [[P]] epsilon 1.000000e-05 : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>
// CHECK: return
func.func @batch_norm(%x: tensor<1x4x8x8xf32>, %p: tensor<4xf32>) {
  %0 = graph.batch_norm %x, %p, %p, %p, %p epsilon 1.000000e-05 : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>
  return
}
