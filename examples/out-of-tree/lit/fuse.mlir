// RUN: my-opt %s --graph-saturate | FileCheck %s
// RUN: my-opt %s --graph-saturate --graph-fuse="policy=none" --convert-graph-to-tloop | FileCheck %s --check-prefix=TLOOP
// RUN: my-opt %s --graph-fuse | FileCheck %s --check-prefix=ONE

// The parts of a squareplus become one operator, which has a kernel; fused, all of them are one.

// CHECK: graph.add
// CHECK-NEXT: dsp.squareplus %{{.+}} roundness 2.000000e+00
// CHECK-NEXT: graph.mul
// TLOOP: tloop.kernel @k1_dsp_squareplus
// TLOOP: math.sqrt
// ONE-COUNT-1: graph.group @
// ONE-NOT: graph.group @
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
