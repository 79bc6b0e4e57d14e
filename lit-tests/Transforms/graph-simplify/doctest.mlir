// RUN: sinter-opt %s --graph-simplify | FileCheck %s

// Shape arithmetic and constants do not survive.

// CHECK: graph.constant dense<[4.000000e+00, 6.000000e+00]>
// CHECK-NEXT: graph.mul
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = graph.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %c = graph.add %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %y = graph.mul %x, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
