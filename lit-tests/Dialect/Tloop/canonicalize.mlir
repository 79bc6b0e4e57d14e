// RUN: sinter-opt %s --canonicalize | FileCheck %s

// Layout changes of constants fold; those of other values stay.

// CHECK-LABEL: func.func @pack(
// CHECK-NEXT: [[R0:%.+]] = graph.constant dense<{{\[\[}}[1.000000e+00, 3.000000e+00], [2.000000e+00, 4.000000e+00]], {{\[\[}}5.000000e+00, 0.000000e+00], [6.000000e+00, 0.000000e+00]]]> : tensor<2x2x2xf32>
// CHECK-NEXT: return [[R0]] : tensor<2x2x2xf32>
func.func @pack() -> tensor<2x2x2xf32> {
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %p = tloop.pack %w layout <(d0, d1) -> (d0 floordiv 2, d1, d0 mod 2)> : tensor<3x2xf32> -> tensor<2x2x2xf32>
  return %p : tensor<2x2x2xf32>
}

// CHECK-LABEL: func.func @pack_of_value(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: [[R0:%.+]] = tloop.pack [[A0]] layout <(d0, d1) -> (d0 floordiv 2, d1, d0 mod 2)> : tensor<3x2xf32> -> tensor<2x2x2xf32>
// CHECK-NEXT: return [[R0]] : tensor<2x2x2xf32>
func.func @pack_of_value(%w: tensor<3x2xf32>) -> tensor<2x2x2xf32> {
  %p = tloop.pack %w layout <(d0, d1) -> (d0 floordiv 2, d1, d0 mod 2)> : tensor<3x2xf32> -> tensor<2x2x2xf32>
  return %p : tensor<2x2x2xf32>
}

// CHECK-LABEL: func.func @row_major(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: [[R0:%.+]] = tloop.pack [[A0]] layout <(d0, d1) -> (d0, d1)> : tensor<3x2xf32> -> tensor<3x2xf32>
// CHECK-NEXT: return [[R0]] : tensor<3x2xf32>
func.func @row_major(%w: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %p = tloop.pack %w layout <(d0, d1) -> (d0, d1)> : tensor<3x2xf32> -> tensor<3x2xf32>
  return %p : tensor<3x2xf32>
}
