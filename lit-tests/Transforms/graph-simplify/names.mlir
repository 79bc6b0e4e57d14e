// RUN: sinter-opt %s --graph-simplify --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// The model's name, the names of its inputs and outputs, and the operators' origins stay.

// CHECK: module @model
// CHECK: func.func @main(%[[X:.+]]: tensor<4xf32> {graph.name = "image"} {{.*}} -> (tensor<4xf32> {graph.name = "scores"})
// CHECK: graph.relu %[[X]] : tensor<4xf32> loc("Relu_7")
module @model {
  func.func @main(%x: tensor<4xf32> {graph.name = "image"}) -> (tensor<4xf32> {graph.name = "scores"}) {
    %y = graph.relu %x : tensor<4xf32> loc("Relu_7")
    return %y : tensor<4xf32>
  }
}
