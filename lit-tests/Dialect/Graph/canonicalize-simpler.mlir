// RUN: sinter-opt %s --canonicalize | FileCheck %s

// Operators that a simpler one replaces.

// CHECK-LABEL: func.func @reduce_nothing(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: return [[A0]] : tensor<2x3xf32>
func.func @reduce_nothing(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.reduce sum %x axes [] : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @reduce_ones(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: [[R0:%.+]] = graph.reshape [[A0]] shape [2] : tensor<2x1xf32> -> tensor<2xf32>
// CHECK-NEXT: return [[R0]] : tensor<2xf32>
func.func @reduce_ones(%x: tensor<2x1xf32>) -> tensor<2xf32> {
  %0 = graph.reduce max %x axes [1] : tensor<2x1xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @resize_same(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: return [[A0]] : tensor<1x4x8x8xf32>
func.func @resize_same(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %0 = graph.resize nearest %x shape [1, 4, 8, 8] coordinates asymmetric rounding floor : tensor<1x4x8x8xf32> -> tensor<1x4x8x8xf32>
  return %0 : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @transpose_of_ones(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: [[R0:%.+]] = graph.transpose [[A0]] perm [0, 2, 3, 1] : tensor<1x4x1x1xf32> -> tensor<1x1x1x4xf32>
// CHECK-NEXT: return [[R0]] : tensor<1x1x1x4xf32>
func.func @transpose_of_ones(%x: tensor<1x4x1x1xf32>) -> tensor<1x1x1x4xf32> {
  %0 = graph.transpose %x perm [0, 2, 3, 1] : tensor<1x4x1x1xf32> -> tensor<1x1x1x4xf32>
  return %0 : tensor<1x1x1x4xf32>
}

// CHECK-LABEL: func.func @pool_of_one(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: return [[A0]] : tensor<1x4x8x8xf32>
func.func @pool_of_one(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %0 = graph.pool max %x kernel [1, 1] strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] : tensor<1x4x8x8xf32> -> tensor<1x4x8x8xf32>
  return %0 : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @expand_of_same_rank(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: [[R0:%.+]] = graph.expand [[A0]] shape [1, 3] : tensor<3xf32> -> tensor<1x3xf32>
// CHECK-NEXT: return [[R0]] : tensor<1x3xf32>
func.func @expand_of_same_rank(%x: tensor<3xf32>) -> tensor<1x3xf32> {
  %0 = graph.expand %x shape [1, 3] : tensor<3xf32> -> tensor<1x3xf32>
  return %0 : tensor<1x3xf32>
}
