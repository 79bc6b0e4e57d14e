// RUN: sinter-opt %s --canonicalize | FileCheck %s

// Operators on constants are evaluated.

// CHECK-LABEL: func.func @add(
// CHECK-NEXT: [[R0:%.+]] = graph.constant dense<[1.500000e+00, 2.500000e+00]> : tensor<2xf32>
// CHECK-NEXT: return [[R0]] : tensor<2xf32>
func.func @add() -> tensor<2xf32> {
  %a = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = graph.constant dense<0.5> : tensor<1xf32>
  %0 = graph.add %a, %b : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @chain(
// CHECK-NEXT: [[R0:%.+]] = graph.constant dense<[-0.000000e+00, -2.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: return [[R0]] : tensor<2xf32>
func.func @chain() -> tensor<2xf32> {
  %a = graph.constant dense<[-1.0, 2.0]> : tensor<2xf32>
  %0 = graph.relu %a : tensor<2xf32>
  %1 = graph.neg %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}

// CHECK-LABEL: func.func @shape_arithmetic(
// CHECK-NEXT: [[R0:%.+]] = graph.constant dense<[2, 3]> : tensor<2xi64>
// CHECK-NEXT: return [[R0]] : tensor<2xi64>
func.func @shape_arithmetic() -> tensor<2xi64> {
  %a = graph.constant dense<[4, 6]> : tensor<2xi64>
  %b = graph.constant dense<2> : tensor<1xi64>
  %0 = graph.div %a, %b : (tensor<2xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// CHECK-LABEL: func.func @compare(
// CHECK-NEXT: [[R0:%.+]] = graph.constant dense<[true, false]> : tensor<2xi1>
// CHECK-NEXT: return [[R0]] : tensor<2xi1>
func.func @compare() -> tensor<2xi1> {
  %a = graph.constant dense<[4, 6]> : tensor<2xi64>
  %b = graph.constant dense<5> : tensor<1xi64>
  %0 = graph.compare lt %a, %b : (tensor<2xi64>, tensor<1xi64>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

// CHECK-LABEL: func.func @gather(
// CHECK-NEXT: [[R0:%.+]] = graph.constant dense<[30, 10]> : tensor<2xi64>
// CHECK-NEXT: return [[R0]] : tensor<2xi64>
func.func @gather() -> tensor<2xi64> {
  %a = graph.constant dense<[10, 20, 30]> : tensor<3xi64>
  %i = graph.constant dense<[2, 0]> : tensor<2xi64>
  %0 = graph.gather %a, %i axis 0 : (tensor<3xi64>, tensor<2xi64>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// CHECK-LABEL: func.func @matmul(
// CHECK-NEXT: [[R0:%.+]] = graph.constant dense<1.100000e+01> : tensor<1x1xf32>
// CHECK-NEXT: return [[R0]] : tensor<1x1xf32>
func.func @matmul() -> tensor<1x1xf32> {
  %a = graph.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %b = graph.constant dense<[[3.0], [4.0]]> : tensor<2x1xf32>
  %0 = graph.matmul %a, %b : (tensor<1x2xf32>, tensor<2x1xf32>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}

// CHECK-LABEL: func.func @reduce(
// CHECK-NEXT: [[R0:%.+]] = graph.constant dense<[1.500000e+00, 4.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: return [[R0]] : tensor<2xf32>
func.func @reduce() -> tensor<2xf32> {
  %a = graph.constant dense<[[1.0, 2.0], [3.0, 5.0]]> : tensor<2x2xf32>
  %0 = graph.reduce mean %a axes [1] : tensor<2x2xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @transpose(
// CHECK-NEXT: [[R0:%.+]] = graph.constant dense<{{\[\[}}1.000000e+00, 3.000000e+00], [2.000000e+00, 5.000000e+00]]> : tensor<2x2xf32>
// CHECK-NEXT: return [[R0]] : tensor<2x2xf32>
func.func @transpose() -> tensor<2x2xf32> {
  %a = graph.constant dense<[[1.0, 2.0], [3.0, 5.0]]> : tensor<2x2xf32>
  %0 = graph.transpose %a perm [1, 0] : tensor<2x2xf32> -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// CHECK-LABEL: func.func @dim(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: [[R0:%.+]] = graph.constant dense<3> : tensor<i64>
// CHECK-NEXT: [[R1:%.+]] = graph.dim [[A0]] axis 0 : tensor<?x3xf32>
// CHECK-NEXT: return [[R1]], [[R0]] : tensor<i64>, tensor<i64>
func.func @dim(%x: tensor<?x3xf32>) -> (tensor<i64>, tensor<i64>) {
  %0 = graph.dim %x axis 0 : tensor<?x3xf32>
  %1 = graph.dim %x axis 1 : tensor<?x3xf32>
  return %0, %1 : tensor<i64>, tensor<i64>
}
