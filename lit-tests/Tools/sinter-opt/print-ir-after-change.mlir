// RUN: sinter-opt %s --test-options --cse --mlir-print-ir-after-all --mlir-print-ir-after-change -o /dev/null 2>&1 | FileCheck %s

// A pass that changes nothing prints nothing.

// CHECK-NOT: IR Dump After test-options
// CHECK: IR Dump After CSE
func.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.relu %x : tensor<4xf32>
  %1 = graph.relu %x : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
