// RUN: sinter-opt %s --test-options --mlir-timing --mlir-timing-display=list -o /dev/null 2>&1 | FileCheck %s

// CHECK: Execution time report
// CHECK-DAG: test-options
// CHECK-DAG: Parser
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
