// RUN: sinter-opt %s | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --mlir-print-op-generic | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --emit-bytecode | sinter-opt | FileCheck %s

// Contractions and windows.

// CHECK-LABEL: func.func @matmul(
// CHECK-SAME: [[A:%[^:]+]]:{{.*}} [[B:%[^:]+]]:
// CHECK: [[R0:%.+]] = graph.matmul [[A]], [[B]] : (tensor<8x128x64xf32>, tensor<64x32xf32>) -> tensor<8x128x32xf32>
// CHECK: return
func.func @matmul(%a: tensor<8x128x64xf32>, %b: tensor<64x32xf32>) {
  %0 = graph.matmul %a, %b : (tensor<8x128x64xf32>, tensor<64x32xf32>) -> tensor<8x128x32xf32>
  return
}

// CHECK-LABEL: func.func @conv(
// CHECK-SAME: [[X:%[^:]+]]:{{.*}} [[W:%[^:]+]]:{{.*}} [[B:%[^:]+]]:{{.*}} [[D:%[^:]+]]:
// CHECK: [[R0:%.+]] = graph.conv [[X]], [[W]] strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1 : (tensor<1x8x14x14xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x14x14xf32>
// CHECK: [[R1:%.+]] = graph.conv [[X]], [[W]], [[B]] strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] groups 1 : (tensor<1x8x14x14xf32>, tensor<16x8x3x3xf32>, tensor<16xf32>) -> tensor<1x16x7x7xf32>
// CHECK: [[R2:%.+]] = graph.conv [[X]], [[D]] strides [1, 1] pads [2, 2, 2, 2] dilations [2, 2] groups 8 : (tensor<1x8x14x14xf32>, tensor<8x1x3x3xf32>) -> tensor<1x8x14x14xf32>
// CHECK: return
func.func @conv(%x: tensor<1x8x14x14xf32>, %w: tensor<16x8x3x3xf32>, %b: tensor<16xf32>, %d: tensor<8x1x3x3xf32>) {
  %0 = graph.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1 : (tensor<1x8x14x14xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x14x14xf32>
  %1 = graph.conv %x, %w, %b strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] groups 1 : (tensor<1x8x14x14xf32>, tensor<16x8x3x3xf32>, tensor<16xf32>) -> tensor<1x16x7x7xf32>
  %2 = graph.conv %x, %d strides [1, 1] pads [2, 2, 2, 2] dilations [2, 2] groups 8 : (tensor<1x8x14x14xf32>, tensor<8x1x3x3xf32>) -> tensor<1x8x14x14xf32>
  return
}

// CHECK-LABEL: func.func @conv_transpose(
// CHECK-SAME: [[X:%[^:]+]]:{{.*}} [[W:%[^:]+]]:{{.*}} [[B:%[^:]+]]:
// CHECK: [[R0:%.+]] = graph.conv_transpose [[X]], [[W]] strides [2, 2] pads [0, 0, 0, 0] output_pads [0, 0] dilations [1, 1] groups 1 : (tensor<1x24x8x8xf32>, tensor<24x12x2x2xf32>) -> tensor<1x12x16x16xf32>
// CHECK: [[R1:%.+]] = graph.conv_transpose [[X]], [[W]], [[B]] strides [2, 2] pads [0, 0, 0, 0] output_pads [0, 0] dilations [1, 1] groups 1 : (tensor<1x24x8x8xf32>, tensor<24x12x2x2xf32>, tensor<12xf32>) -> tensor<1x12x16x16xf32>
// CHECK: return
func.func @conv_transpose(%x: tensor<1x24x8x8xf32>, %w: tensor<24x12x2x2xf32>, %b: tensor<12xf32>) {
  %0 = graph.conv_transpose %x, %w strides [2, 2] pads [0, 0, 0, 0] output_pads [0, 0] dilations [1, 1] groups 1 : (tensor<1x24x8x8xf32>, tensor<24x12x2x2xf32>) -> tensor<1x12x16x16xf32>
  %1 = graph.conv_transpose %x, %w, %b strides [2, 2] pads [0, 0, 0, 0] output_pads [0, 0] dilations [1, 1] groups 1 : (tensor<1x24x8x8xf32>, tensor<24x12x2x2xf32>, tensor<12xf32>) -> tensor<1x12x16x16xf32>
  return
}

// CHECK-LABEL: func.func @winograd_conv(
// CHECK-SAME: [[X:%[^:]+]]:{{.*}} [[W:%[^:]+]]:{{.*}} [[F:%[^:]+]]:{{.*}} [[G:%[^:]+]]:{{.*}} [[B:%[^:]+]]:
// CHECK: [[R0:%.+]] = graph.winograd_conv [[X]], [[W]], [[F]], [[G]] pads [1, 1, 1, 1] : (tensor<1x8x14x14xf32>, tensor<4x16x8x3xf32>, tensor<4x4xf32>, tensor<2x4xf32>) -> tensor<1x16x14x14xf32>
// CHECK: [[R1:%.+]] = graph.winograd_conv [[X]], [[W]], [[F]], [[G]], [[B]] pads [0, 1, 0, 1] : (tensor<1x8x14x14xf32>, tensor<4x16x8x3xf32>, tensor<4x4xf32>, tensor<2x4xf32>, tensor<16xf32>) -> tensor<1x16x12x14xf32>
// CHECK: return
func.func @winograd_conv(%x: tensor<1x8x14x14xf32>, %w: tensor<4x16x8x3xf32>, %f: tensor<4x4xf32>, %g: tensor<2x4xf32>, %b: tensor<16xf32>) {
  %0 = graph.winograd_conv %x, %w, %f, %g pads [1, 1, 1, 1] : (tensor<1x8x14x14xf32>, tensor<4x16x8x3xf32>, tensor<4x4xf32>, tensor<2x4xf32>) -> tensor<1x16x14x14xf32>
  %1 = graph.winograd_conv %x, %w, %f, %g, %b pads [0, 1, 0, 1] : (tensor<1x8x14x14xf32>, tensor<4x16x8x3xf32>, tensor<4x4xf32>, tensor<2x4xf32>, tensor<16xf32>) -> tensor<1x16x12x14xf32>
  return
}

// CHECK-LABEL: func.func @pool(
// CHECK-SAME: [[X:%[^:]+]]:
// CHECK: [[R0:%.+]] = graph.pool max [[X]] kernel [3, 3] strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] : tensor<1x8x14x14xf32> -> tensor<1x8x7x7xf32>
// CHECK: [[R1:%.+]] = graph.pool avg [[X]] kernel [3, 3] strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1] ceil_mode true count_include_pad true : tensor<1x8x14x14xf32> -> tensor<1x8x7x7xf32>
// CHECK: return
func.func @pool(%x: tensor<1x8x14x14xf32>) {
  %0 = graph.pool max %x kernel [3, 3] strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] : tensor<1x8x14x14xf32> -> tensor<1x8x7x7xf32>
  %1 = graph.pool avg %x kernel [3, 3] strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1] ceil_mode true count_include_pad true : tensor<1x8x14x14xf32> -> tensor<1x8x7x7xf32>
  return
}
