// RUN: my-opt %s --graph-fuse | FileCheck %s
// RUN: my-opt %s --graph-fuse --convert-graph-to-tloop | FileCheck %s --check-prefix=TLOOP

// The parts of a squareplus become one operator, fused with its neighbours.

// CHECK: graph.group @k0_add_dsp_squareplus_mul(
// CHECK: dsp.squareplus %{{.+}} roundness 2.000000e+00
// TLOOP: tloop.kernel @k0_add_dsp_squareplus_mul
// TLOOP: math.sqrt
func.func @main(%x: tensor<8x32xf32>, %b: tensor<32xf32>) -> tensor<8x32xf32> {
  %two = graph.constant dense<2.0> : tensor<f32>
  %half = graph.constant dense<0.5> : tensor<f32>
  %s = graph.add %x, %b : (tensor<8x32xf32>, tensor<32xf32>) -> tensor<8x32xf32>
  %0 = graph.mul %s, %s : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  %1 = graph.add %0, %two : (tensor<8x32xf32>, tensor<f32>) -> tensor<8x32xf32>
  %2 = graph.sqrt %1 : tensor<8x32xf32>
  %3 = graph.add %s, %2 : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  %4 = graph.mul %3, %half : (tensor<8x32xf32>, tensor<f32>) -> tensor<8x32xf32>
  %5 = graph.mul %4, %b : (tensor<8x32xf32>, tensor<32xf32>) -> tensor<8x32xf32>
  return %5 : tensor<8x32xf32>
}
