// RUN: sinter-opt %s --graph-fuse=policy=greedy | FileCheck %s

// A chain of pointwise operators is one kernel; it carries its price, schedule and decision.

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.+]]: tensor<4x16xf32> {graph.name = "x"}, %[[B:.+]]: tensor<16xf32> {graph.name = "b"})
// CHECK: %[[Y:.+]] = graph.group @k0_add_relu(%[[X]], %[[B]] : tensor<4x16xf32>, tensor<16xf32>)
// CHECK-SAME: decision = #graph.decision<"fused", nodes = ["Add_0", "Relu_1"]
// CHECK-SAME: price_ns =
// CHECK-SAME: schedule = #tloop.schedule<grid = [
// CHECK-NEXT: ^bb0(%[[A:.+]]: tensor<4x16xf32>, %[[C:.+]]: tensor<16xf32>):
// CHECK-NEXT: %[[S:.+]] = graph.add %[[A]], %[[C]]
// CHECK-NEXT: %[[R:.+]] = graph.relu %[[S]]
// CHECK-NEXT: graph.yield %[[R]]
// CHECK: return %[[Y]]
func.func @main(%x: tensor<4x16xf32> {graph.name = "x"}, %b: tensor<16xf32> {graph.name = "b"})
    -> (tensor<4x16xf32> {graph.name = "y"}) {
  %0 = graph.add %x, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32> loc("Add_0")
  %1 = graph.relu %0 : tensor<4x16xf32> loc("Relu_1")
  return %1 : tensor<4x16xf32>
}
