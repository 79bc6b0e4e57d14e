// RUN: sinter-opt %s --sccp | FileCheck %s

// Constants pass through calls.

// CHECK-LABEL: func.func private @scale(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: [[R0:%.+]] = graph.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: [[R1:%.+]] = graph.constant dense<[2.000000e+00, 4.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: return [[R1]] : tensor<2xf32>
func.func private @scale(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = graph.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @main(
// CHECK-NEXT: [[R0:%.+]] = graph.constant dense<[2.000000e+00, 4.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: [[R1:%.+]] = graph.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: [[R2:%.+]] = call @scale([[R1]]) : (tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT: return [[R0]] : tensor<2xf32>
func.func @main() -> tensor<2xf32> {
  %c = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = func.call @scale(%c) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
