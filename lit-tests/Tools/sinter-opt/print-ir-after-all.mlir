// RUN: sinter-opt %s --canonicalize --test-options --mlir-print-ir-after-all -o /dev/null 2>&1 | FileCheck %s

// Our passes are named like upstream's.

// CHECK: IR Dump After Canonicalizer{{.*}} (canonicalize)
// CHECK: graph.relu
// CHECK: IR Dump After test-options (test-options)
// CHECK: graph.relu
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
