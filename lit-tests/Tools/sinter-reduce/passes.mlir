// RUN: sinter-reduce %s --opt-reduction-pass='opt-pass=canonicalize test=%S/Inputs/has-exp.sh' | FileCheck %s

// CHECK-LABEL: func.func @f
// CHECK-NEXT: graph.exp
// CHECK-NEXT: return
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32>
  %1 = graph.exp %x : tensor<4xf32>
  return %1 : tensor<4xf32>
}
