// RUN: my-opt %s | my-opt | FileCheck %s
// RUN: my-opt %s --mlir-print-op-generic | my-opt | FileCheck %s
// RUN: my-opt %s --emit-bytecode | my-opt | FileCheck %s

// CHECK-LABEL: func.func @squareplus
// CHECK-SAME: (%[[X:.+]]: tensor<2x3xf32>)
// CHECK-NEXT: dsp.squareplus %[[X]] roundness 4.000000e+00 : tensor<2x3xf32>
func.func @squareplus(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = dsp.squareplus %x roundness 4.0 : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @power
// CHECK-SAME: (%[[X:.+]]: tensor<2x3xf32>)
// CHECK-NEXT: dsp.power %[[X]] axis 1 : tensor<2x3xf32> -> tensor<2x1xf32>
func.func @power(%x: tensor<2x3xf32>) -> tensor<2x1xf32> {
  %y = dsp.power %x axis 1 : tensor<2x3xf32> -> tensor<2x1xf32>
  return %y : tensor<2x1xf32>
}
