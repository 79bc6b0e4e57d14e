// RUN: sinter-opt %s --canonicalize | FileCheck %s

// Evaluation rounds to the element type of every value.

// CHECK-LABEL: func.func @f16(
// CHECK-NEXT: [[R0:%.+]] = graph.constant dense<2.048000e+03> : tensor<1xf16>
// CHECK-NEXT: return [[R0]] : tensor<1xf16>
func.func @f16() -> tensor<1xf16> {
  %a = graph.constant dense<2048.0> : tensor<1xf16>
  %b = graph.constant dense<1.0> : tensor<1xf16>
  %0 = graph.add %a, %b : (tensor<1xf16>, tensor<1xf16>) -> tensor<1xf16>
  return %0 : tensor<1xf16>
}

// CHECK-LABEL: func.func @i8_wraps(
// CHECK-NEXT: [[R0:%.+]] = graph.constant dense<-128> : tensor<1xi8>
// CHECK-NEXT: return [[R0]] : tensor<1xi8>
func.func @i8_wraps() -> tensor<1xi8> {
  %a = graph.constant dense<127> : tensor<1xi8>
  %b = graph.constant dense<1> : tensor<1xi8>
  %0 = graph.add %a, %b : (tensor<1xi8>, tensor<1xi8>) -> tensor<1xi8>
  return %0 : tensor<1xi8>
}

// CHECK-LABEL: func.func @truncated(
// CHECK-NEXT: [[R0:%.+]] = graph.constant dense<[1, -1]> : tensor<2xi64>
// CHECK-NEXT: return [[R0]] : tensor<2xi64>
func.func @truncated() -> tensor<2xi64> {
  %a = graph.constant dense<[1.75, -1.75]> : tensor<2xf32>
  %0 = graph.cast %a to i64 : tensor<2xf32> -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// CHECK-LABEL: func.func @to_bool(
// CHECK-NEXT: [[R0:%.+]] = graph.constant dense<[false, true]> : tensor<2xi1>
// CHECK-NEXT: return [[R0]] : tensor<2xi1>
func.func @to_bool() -> tensor<2xi1> {
  %a = graph.constant dense<[0.0, 0.5]> : tensor<2xf32>
  %0 = graph.cast %a to i1 : tensor<2xf32> -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
