// RUN: sinter-reduce %s --reduction-tree='traversal-mode=0 test=%S/Inputs/has-exp.sh' | FileCheck %s

// All functions but the one that keeps the test interesting go.

// CHECK-NOT: @uninteresting
// CHECK: func.func @interesting
// CHECK: graph.exp
// CHECK-NOT: @uninteresting
func.func @uninteresting0(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @interesting(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @uninteresting1(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
