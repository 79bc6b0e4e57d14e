// RUN: mlir-opt %s %plugin --pass-pipeline='builtin.module(func.func(canonicalize),dsp-decompose)' | FileCheck %s
// RUN: mlir-opt %s %plugin --pass-pipeline='builtin.module(graph-fuse)' | FileCheck %s --check-prefix=FUSED

// Stock mlir-opt has the dialect, its hooks, the pass, and all of Sinter's passes from the plugin.

// CHECK: func.func @main
// CHECK-NOT: dsp.
// CHECK: graph.relu
// CHECK: graph.reduce
// FUSED: graph.group @k0_relu_dsp_power(
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x1xf32> {
  %s = dsp.squareplus %x roundness 0.0 : tensor<2x3xf32>
  %p = dsp.power %s axis 1 : tensor<2x3xf32> -> tensor<2x1xf32>
  return %p : tensor<2x1xf32>
}
