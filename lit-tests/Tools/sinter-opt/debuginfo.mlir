// RUN: sinter-opt %s --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// The names of ONNX nodes are visible where asked for.

// CHECK: graph.relu {{.*}} loc("Relu_3")
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32> loc("Relu_3")
  return %0 : tensor<4xf32>
}
