// RUN: sinter-opt %s --mlir-print-op-generic | FileCheck %s

// Attributes are properties; defaults are there.

// CHECK: "graph.reduce"(%{{.*}}) <{axes = array<i64: 1>, keep_dims = false, kind = "sum"}> : (tensor<4x8xf32>) -> tensor<4xf32>
func.func @f(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = graph.reduce sum %x axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
