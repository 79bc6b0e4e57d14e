// RUN: sinter-opt %s --graph-simplify --split-input-file | FileCheck %s

// A constant operand is evaluated, what nothing needs is gone.

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.+]]: tensor<2xf32>
// CHECK-NEXT: %[[C:.+]] = graph.constant dense<[1.000000e+00, 0.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: %[[Y:.+]] = graph.add %[[X]], %[[C]]
// CHECK-NEXT: return %[[Y]]
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = graph.constant dense<[1.0, -2.0]> : tensor<2xf32>
  %r = graph.relu %c : tensor<2xf32>
  %unused = graph.exp %x : tensor<2xf32>
  %y = graph.add %x, %r : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// Identities are folded.

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.+]]: tensor<2x3xf32>
// CHECK-NEXT: %[[Y:.+]] = graph.relu %[[X]]
// CHECK-NEXT: return %[[Y]]
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.transpose %x perm [0, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = graph.reshape %0 shape [2, 3] : tensor<2x3xf32> -> tensor<2x3xf32>
  %y = graph.relu %1 : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// Equal operators are merged.

// CHECK-LABEL: func.func @main
// CHECK: %[[E:.+]] = graph.exp
// CHECK-NOT: graph.exp
// CHECK: graph.mul %[[E]], %[[E]]
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.exp %x : tensor<4xf32>
  %b = graph.exp %x : tensor<4xf32>
  %y = graph.mul %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
