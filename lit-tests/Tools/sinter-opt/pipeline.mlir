// RUN: sinter-opt %s --sinter-graph-simplify | FileCheck %s
// RUN: sinter-opt %s --pass-pipeline='builtin.module(sinter-graph-simplify)' | FileCheck %s
// RUN: sinter-opt %s --sinter-graph-simplify --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=STEPS

// STEPS: builtin.module(
// STEPS: inline
// STEPS: canonicalize
// STEPS: cse

// CHECK-LABEL: func.func @f
// CHECK-NEXT: [[R:%.+]] = graph.relu
// CHECK-NEXT: return [[R]]
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32>
  %1 = graph.transpose %0 perm [0] : tensor<4xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
