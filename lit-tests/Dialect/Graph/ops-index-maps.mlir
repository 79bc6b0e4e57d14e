// RUN: sinter-opt %s | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --mlir-print-op-generic | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --emit-bytecode | sinter-opt | FileCheck %s

// Index maps.

// CHECK-LABEL: func.func @shapes(
// CHECK-SAME: [[X:%[^:]+]]:{{.*}} [[R:%[^:]+]]:
// CHECK: [[R0:%.+]] = graph.transpose [[X]] perm [0, 2, 1] : tensor<2x3x4xf32> -> tensor<2x4x3xf32>
// CHECK: [[R1:%.+]] = graph.reshape [[X]] shape [6, 4] : tensor<2x3x4xf32> -> tensor<6x4xf32>
// CHECK: [[R2:%.+]] = graph.expand [[R]] shape [3, 4] : tensor<1x4xf32> -> tensor<3x4xf32>
// CHECK: return
func.func @shapes(%x: tensor<2x3x4xf32>, %r: tensor<1x4xf32>) {
  %0 = graph.transpose %x perm [0, 2, 1] : tensor<2x3x4xf32> -> tensor<2x4x3xf32>
  %1 = graph.reshape %x shape [6, 4] : tensor<2x3x4xf32> -> tensor<6x4xf32>
  %2 = graph.expand %r shape [3, 4] : tensor<1x4xf32> -> tensor<3x4xf32>
  return
}

// CHECK-LABEL: func.func @parts(
// CHECK-SAME: [[X:%[^:]+]]:{{.*}} [[Y:%[^:]+]]:
// CHECK: [[R0:%.+]] = graph.slice [[X]] starts [0, 16] sizes [4, 8] steps [1, 2] : tensor<4x32xf32> -> tensor<4x8xf32>
// CHECK: [[R1:%.+]] = graph.concat [[X]], [[Y]], [[R0]] axis 1 : (tensor<4x32xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x48xf32>
// CHECK: return
func.func @parts(%x: tensor<4x32xf32>, %y: tensor<4x8xf32>) {
  %0 = graph.slice %x starts [0, 16] sizes [4, 8] steps [1, 2] : tensor<4x32xf32> -> tensor<4x8xf32>
  %1 = graph.concat %x, %y, %0 axis 1 : (tensor<4x32xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x48xf32>
  return
}

// CHECK-LABEL: func.func @pad(
// CHECK-SAME: [[X:%[^:]+]]:
// CHECK: [[R0:%.+]] = graph.pad constant [[X]] low [0, 1] high [0, 1] value 0.000000e+00 : tensor<4x8xf32> -> tensor<4x10xf32>
// CHECK: [[R1:%.+]] = graph.pad reflect [[X]] low [1, 1] high [1, 1] value 0.000000e+00 : tensor<4x8xf32> -> tensor<6x10xf32>
// CHECK: [[R2:%.+]] = graph.pad edge [[X]] low [0, 0] high [0, 2] value 0.000000e+00 : tensor<4x8xf32> -> tensor<4x10xf32>
// CHECK: [[R3:%.+]] = graph.pad wrap [[X]] low [1, 0] high [0, 0] value 0.000000e+00 : tensor<4x8xf32> -> tensor<5x8xf32>
// CHECK: return
func.func @pad(%x: tensor<4x8xf32>) {
  %0 = graph.pad constant %x low [0, 1] high [0, 1] value 0.000000e+00 : tensor<4x8xf32> -> tensor<4x10xf32>
  %1 = graph.pad reflect %x low [1, 1] high [1, 1] value 0.000000e+00 : tensor<4x8xf32> -> tensor<6x10xf32>
  %2 = graph.pad edge %x low [0, 0] high [0, 2] value 0.000000e+00 : tensor<4x8xf32> -> tensor<4x10xf32>
  %3 = graph.pad wrap %x low [1, 0] high [0, 0] value 0.000000e+00 : tensor<4x8xf32> -> tensor<5x8xf32>
  return
}

// CHECK-LABEL: func.func @gather(
// CHECK-SAME: [[TABLE:%[^:]+]]:{{.*}} [[I:%[^:]+]]:{{.*}} [[X:%[^:]+]]:{{.*}} [[J:%[^:]+]]:
// CHECK: [[R0:%.+]] = graph.gather [[TABLE]], [[I]] axis 0 : (tensor<1000x64xf32>, tensor<8xi64>) -> tensor<8x64xf32>
// CHECK: [[R1:%.+]] = graph.gather_elements [[X]], [[J]] axis 1 : (tensor<4x8xf32>, tensor<4x2xi64>) -> tensor<4x2xf32>
// CHECK: return
func.func @gather(%table: tensor<1000x64xf32>, %i: tensor<8xi64>, %x: tensor<4x8xf32>, %j: tensor<4x2xi64>) {
  %0 = graph.gather %table, %i axis 0 : (tensor<1000x64xf32>, tensor<8xi64>) -> tensor<8x64xf32>
  %1 = graph.gather_elements %x, %j axis 1 : (tensor<4x8xf32>, tensor<4x2xi64>) -> tensor<4x2xf32>
  return
}

// CHECK-LABEL: func.func @resize(
// CHECK-SAME: [[X:%[^:]+]]:
// CHECK: [[R0:%.+]] = graph.resize nearest [[X]] shape [1, 4, 16, 16] scales [1.000000e+00, 1.000000e+00, 2.000000e+00, 2.000000e+00] coordinates asymmetric rounding floor : tensor<1x4x8x8xf32> -> tensor<1x4x16x16xf32>
// CHECK: [[R1:%.+]] = graph.resize linear [[X]] shape [1, 4, 16, 16] coordinates half_pixel rounding round_prefer_floor : tensor<1x4x8x8xf32> -> tensor<1x4x16x16xf32>
// CHECK: [[R2:%.+]] = graph.resize cubic [[X]] shape [1, 4, 12, 12] coordinates align_corners rounding floor cubic_coefficient -5.000000e-01 exclude_outside true : tensor<1x4x8x8xf32> -> tensor<1x4x12x12xf32>
// CHECK: return
func.func @resize(%x: tensor<1x4x8x8xf32>) {
  %0 = graph.resize nearest %x shape [1, 4, 16, 16] scales [1.000000e+00, 1.000000e+00, 2.000000e+00, 2.000000e+00] coordinates asymmetric rounding floor : tensor<1x4x8x8xf32> -> tensor<1x4x16x16xf32>
  %1 = graph.resize linear %x shape [1, 4, 16, 16] coordinates half_pixel rounding round_prefer_floor : tensor<1x4x8x8xf32> -> tensor<1x4x16x16xf32>
  %2 = graph.resize cubic %x shape [1, 4, 12, 12] coordinates align_corners rounding floor cubic_coefficient -5.000000e-01 exclude_outside true : tensor<1x4x8x8xf32> -> tensor<1x4x12x12xf32>
  return
}
