// RUN: sinter-opt %s | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --mlir-print-op-generic | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --emit-bytecode | sinter-opt | FileCheck %s

// Extents that are not known: in types, as values, named and bounded.

// CHECK-LABEL: func.func @unknown(
// CHECK-SAME: [[X:%[^:]+]]:{{.*}} [[W:%[^:]+]]:
// CHECK: [[R0:%.+]] = graph.conv [[X]], [[W]] strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1 : (tensor<?x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<?x4x8x8xf32>
// CHECK: [[R1:%.+]] = graph.relu [[R0]] : tensor<?x4x8x8xf32>
// CHECK: [[N:%.+]] = graph.dim [[X]] axis 0 : tensor<?x3x8x8xf32>
// CHECK: return [[R1]] : tensor<?x4x8x8xf32>
func.func @unknown(%x: tensor<?x3x8x8xf32> {graph.dims = [#graph.dim<"batch", 1, 64>, unit, unit, unit]}, %w: tensor<4x3x3x3xf32>) -> tensor<?x4x8x8xf32> {
  %0 = graph.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1 : (tensor<?x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<?x4x8x8xf32>
  %1 = graph.relu %0 : tensor<?x4x8x8xf32>
  %n = graph.dim %x axis 0 : tensor<?x3x8x8xf32>
  return %1 : tensor<?x4x8x8xf32>
}
