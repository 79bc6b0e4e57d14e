// RUN: sinter-opt %s --apply-pdl-patterns=file=%S/Inputs/gate.pdl.mlir | FileCheck %s
// RUN: sinter-opt %s --apply-pdl-patterns=file=%S/Inputs/gate.pdll | FileCheck %s

// A pattern from a file, in PDL or PDLL, on operators of ours.

// CHECK-LABEL: func.func @gate
// CHECK-SAME: (%[[X:.+]]: tensor<4xf32>)
// CHECK-NEXT: %[[Y:.+]] = graph.silu %[[X]]
// CHECK-NEXT: return %[[Y]]
func.func @gate(%x: tensor<4xf32>) -> tensor<4xf32> {
  %gate = graph.sigmoid %x : tensor<4xf32>
  %y = graph.mul %x, %gate : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @another
// CHECK: graph.sigmoid
// CHECK: graph.mul
func.func @another(%x: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %gate = graph.sigmoid %z : tensor<4xf32>
  %y = graph.mul %x, %gate : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
