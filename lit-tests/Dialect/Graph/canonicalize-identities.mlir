// RUN: sinter-opt %s --canonicalize | FileCheck %s

// Operators that give their operand back.

// CHECK-LABEL: func.func @transpose(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: return [[A0]] : tensor<2x3xf32>
func.func @transpose(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.transpose %x perm [0, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @reshape(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: return [[A0]] : tensor<2x3xf32>
func.func @reshape(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.reshape %x shape [2, 3] : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @expand(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: return [[A0]] : tensor<2x3xf32>
func.func @expand(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.expand %x shape [2, 3] : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @slice(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: return [[A0]] : tensor<2x3xf32>
func.func @slice(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.slice %x starts [0, 0] sizes [2, 3] steps [1, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @pad(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: return [[A0]] : tensor<2x3xf32>
func.func @pad(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.pad constant %x low [0, 0] high [0, 0] value 0.0 : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @concat(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: return [[A0]] : tensor<2x3xf32>
func.func @concat(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.concat %x axis 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @cast(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: return [[A0]] : tensor<2x3xf32>
func.func @cast(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.cast %x to f32 : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @eclass(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: return [[A0]] : tensor<2x3xf32>
func.func @eclass(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.eclass %x, %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @eclass_of_two(
// CHECK-SAME: [[A0:%[^:]+]]:{{.*}} [[A1:%[^:]+]]:
// CHECK-NEXT: [[R0:%.+]] = graph.eclass [[A0]], [[A1]] : tensor<2x3xf32>
// CHECK-NEXT: return [[R0]] : tensor<2x3xf32>
func.func @eclass_of_two(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.eclass %x, %y : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
