// RUN: sinter-opt %s --canonicalize | FileCheck %s

// Constants move to the right of operators whose operands may be swapped, and of no others.

// CHECK-LABEL: func.func @add(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: [[R0:%.+]] = graph.constant dense<1.000000e+00> : tensor<2xf32>
// CHECK-NEXT: [[R1:%.+]] = graph.add [[A0]], [[R0]] : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT: return [[R1]] : tensor<2xf32>
func.func @add(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = graph.constant dense<1.0> : tensor<2xf32>
  %0 = graph.add %a, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @mul(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: [[R0:%.+]] = graph.constant dense<1.500000e+00> : tensor<2xf32>
// CHECK-NEXT: [[R1:%.+]] = graph.mul [[A0]], [[R0]] : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT: return [[R1]] : tensor<2xf32>
func.func @mul(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = graph.constant dense<1.5> : tensor<2xf32>
  %0 = graph.mul %a, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @sub(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: [[R0:%.+]] = graph.constant dense<1.000000e+00> : tensor<2xf32>
// CHECK-NEXT: [[R1:%.+]] = graph.sub [[R0]], [[A0]] : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT: return [[R1]] : tensor<2xf32>
func.func @sub(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = graph.constant dense<1.0> : tensor<2xf32>
  %0 = graph.sub %a, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
