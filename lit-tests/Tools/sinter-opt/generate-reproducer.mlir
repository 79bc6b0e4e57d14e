// RUN: sinter-opt %s --test-options='label=x' --mlir-generate-reproducer=%t.mlir -o /dev/null
// RUN: FileCheck %s < %t.mlir

// CHECK: pipeline: "builtin.module(test-options{{[{]}}at-least=0 fruit=apple how-many=3 label=x ripe=false})"
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
