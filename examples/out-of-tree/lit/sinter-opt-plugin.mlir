// REQUIRES: sinter-opt
// RUN: sinter-opt %s %plugin --pass-pipeline='builtin.module(func.func(canonicalize),dsp-decompose)' | FileCheck %s
// RUN: sinter-opt %s %plugin --graph-fuse | FileCheck %s --check-prefix=FUSED

// The plugin adds the dialect and its pass, and sinter-opt's own passes know the plugin's operators.

// CHECK: func.func @main
// CHECK-NOT: dsp.
// CHECK: graph.relu
// CHECK: graph.reduce
// FUSED: graph.group @k0_{{.*}}dsp_power(
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x1xf32> {
  %s = dsp.squareplus %x roundness 0.0 : tensor<2x3xf32>
  %p = dsp.power %s axis 1 : tensor<2x3xf32> -> tensor<2x1xf32>
  return %p : tensor<2x1xf32>
}
