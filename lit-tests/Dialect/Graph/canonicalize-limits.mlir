// RUN: sinter-opt %s --canonicalize | FileCheck %s

// What folding leaves alone: results that would be large, random numbers, operands that are not known.

// CHECK-LABEL: func.func @large(
// CHECK-NEXT: [[R0:%.+]] = graph.constant dense<1.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: [[R1:%.+]] = graph.expand [[R0]] shape [1024, 1024] : tensor<1x1xf32> -> tensor<1024x1024xf32>
// CHECK-NEXT: return [[R1]] : tensor<1024x1024xf32>
func.func @large() -> tensor<1024x1024xf32> {
  %a = graph.constant dense<1.0> : tensor<1x1xf32>
  %0 = graph.expand %a shape [1024, 1024] : tensor<1x1xf32> -> tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}

// CHECK-LABEL: func.func @random(
// CHECK-NEXT: [[R0:%.+]] = graph.random uniform 0.000000e+00, 1.000000e+00 seed 7 : tensor<2xf32>
// CHECK-NEXT: return [[R0]] : tensor<2xf32>
func.func @random() -> tensor<2xf32> {
  %0 = graph.random uniform 0.000000e+00, 1.000000e+00 seed 7 : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @unknown(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: [[R0:%.+]] = graph.constant dense<1.000000e+00> : tensor<2xf32>
// CHECK-NEXT: [[R1:%.+]] = graph.add [[A0]], [[R0]] : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT: return [[R1]] : tensor<2xf32>
func.func @unknown(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = graph.constant dense<1.0> : tensor<2xf32>
  %0 = graph.add %x, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @unknown_extent(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: [[R0:%.+]] = graph.transpose [[A0]] perm [0] : tensor<?xf32> -> tensor<?xf32>
// CHECK-NEXT: return [[R0]] : tensor<?xf32>
func.func @unknown_extent(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = graph.transpose %x perm [0] : tensor<?xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
