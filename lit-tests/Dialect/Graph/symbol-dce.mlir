// RUN: sinter-opt %s --symbol-dce | FileCheck %s

// A kernel that a composite names is alive; one that nothing names is not.

// CHECK: func.func private @fast_gate
// CHECK-NOT: @unused
func.func private @fast_gate(tensor<4xf32>) -> tensor<4xf32>
func.func private @unused(tensor<4xf32>) -> tensor<4xf32>

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.composite "my.gate" (%x : tensor<4xf32>) kernel @fast_gate {
  ^bb0(%a: tensor<4xf32>):
    %0 = graph.sigmoid %a : tensor<4xf32>
    graph.yield %0 : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
