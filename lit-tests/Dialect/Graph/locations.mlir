// RUN: sinter-opt %s --canonicalize --mlir-print-debuginfo | FileCheck %s

// Operators keep the names of the ONNX nodes that they stem from.

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: graph.relu {{.*}} loc([[RELU:#loc[0-9]*]])
  %0 = graph.relu %x : tensor<2x3xf32> loc("Relu_3")
  %1 = graph.transpose %0 perm [0, 1] : tensor<2x3xf32> -> tensor<2x3xf32> loc("Transpose_4")
  // CHECK: graph.exp {{.*}} loc([[EXP:#loc[0-9]*]])
  %2 = graph.exp %1 : tensor<2x3xf32> loc(fused["Exp_5", "Mul_6"])
  return %2 : tensor<2x3xf32>
}
// CHECK-DAG: [[RELU]] = loc("Relu_3")
// CHECK-DAG: [[EXP]] = loc(fused[{{.*}}])
