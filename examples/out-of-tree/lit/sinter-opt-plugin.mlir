// REQUIRES: sinter-opt
// RUN: sinter-opt %s %plugin --pass-pipeline='builtin.module(func.func(canonicalize),dsp-decompose)' | FileCheck %s

// The plugin adds what sinter-opt does not have: the dialect and its pass.

// CHECK: func.func @main
// CHECK-NOT: dsp.
// CHECK: graph.relu
// CHECK: graph.reduce
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x1xf32> {
  %s = dsp.squareplus %x roundness 0.0 : tensor<2x3xf32>
  %p = dsp.power %s axis 1 : tensor<2x3xf32> -> tensor<2x1xf32>
  return %p : tensor<2x1xf32>
}
