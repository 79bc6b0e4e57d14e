// RUN: my-opt %s --canonicalize --cse | FileCheck %s

// Without roundness it is a ReLU.

// CHECK-LABEL: func.func @sharp
// CHECK-SAME: (%[[X:.+]]: tensor<2xf32>)
// CHECK-NEXT: graph.relu %[[X]]
func.func @sharp(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = dsp.squareplus %x roundness 0.0 : tensor<2xf32>
  return %y : tensor<2xf32>
}

// The mean of one square is that square.

// CHECK-LABEL: func.func @one
// CHECK-SAME: (%[[X:.+]]: tensor<2x1xf32>)
// CHECK-NEXT: graph.mul %[[X]], %[[X]]
func.func @one(%x: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %y = dsp.power %x axis 1 : tensor<2x1xf32> -> tensor<2x1xf32>
  return %y : tensor<2x1xf32>
}

// An operator on a constant is evaluated.

// CHECK-LABEL: func.func @constant
// CHECK-NEXT: graph.constant dense<1.250000e+01> : tensor<1xf32>
// CHECK-NEXT: return
func.func @constant() -> tensor<1xf32> {
  %x = graph.constant dense<[3.0, -4.0]> : tensor<2xf32>
  %y = dsp.power %x axis 0 : tensor<2xf32> -> tensor<1xf32>
  return %y : tensor<1xf32>
}

// Equal operators become one, unused ones go.

// CHECK-LABEL: func.func @equal
// CHECK-NEXT: %[[Y:.+]] = dsp.squareplus
// CHECK-NEXT: return %[[Y]], %[[Y]]
func.func @equal(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %unused = dsp.squareplus %x roundness 2.0 : tensor<2xf32>
  %a = dsp.squareplus %x roundness 1.0 : tensor<2xf32>
  %b = dsp.squareplus %x roundness 1.0 : tensor<2xf32>
  return %a, %b : tensor<2xf32>, tensor<2xf32>
}
