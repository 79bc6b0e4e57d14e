// RUN: sinter-opt %s --pass-pipeline='builtin.module(func.func(canonicalize,cse))' -o %t.many
// RUN: sinter-opt %s --pass-pipeline='builtin.module(func.func(canonicalize,cse))' --mlir-disable-threading -o %t.one
// RUN: diff %t.many %t.one
// RUN: FileCheck %s < %t.one

// Hooks run on several threads at once; what is printed does not depend on it.

// CHECK-LABEL: func.func @a
// CHECK-NEXT: graph.constant dense<3.000000e+00>
func.func @a() -> tensor<2xf32> {
  %a = graph.constant dense<1.0> : tensor<2xf32>
  %b = graph.constant dense<2.0> : tensor<2xf32>
  %0 = graph.add %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// CHECK-LABEL: func.func @b
// CHECK-NEXT: graph.constant dense<2.000000e+00>
func.func @b() -> tensor<2xf32> {
  %a = graph.constant dense<1.0> : tensor<2xf32>
  %b = graph.constant dense<2.0> : tensor<2xf32>
  %0 = graph.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// CHECK-LABEL: func.func @c
// CHECK-NEXT: return
func.func @c(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = graph.reshape %x shape [2] : tensor<2xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
