// RUN: my-opt %s --dsp-decompose | FileCheck %s
// RUN: my-opt %s --dsp-decompose=only=power | FileCheck %s --check-prefix=ONLY
// RUN: not my-opt %s --dsp-decompose=only=cube 2>&1 | FileCheck %s --check-prefix=WRONG

// CHECK-LABEL: func.func @main
// CHECK-NOT: dsp.
// CHECK: graph.sqrt
// CHECK: graph.reduce
// ONLY: dsp.squareplus
// ONLY: graph.reduce
// WRONG: error: dsp-decompose: 'dsp.cube' is no operator
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x1xf32> {
  %s = dsp.squareplus %x roundness 2.0 : tensor<2x3xf32>
  %p = dsp.power %s axis 1 : tensor<2x3xf32> -> tensor<2x1xf32>
  return %p : tensor<2x1xf32>
}
