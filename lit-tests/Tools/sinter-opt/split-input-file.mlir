// RUN: sinter-opt %s --split-input-file | FileCheck %s

// The same symbol twice is no clash in two chunks.

// CHECK: func.func @f
// CHECK: graph.relu
// CHECK: // -----
// CHECK: func.func @f
// CHECK: graph.exp
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
