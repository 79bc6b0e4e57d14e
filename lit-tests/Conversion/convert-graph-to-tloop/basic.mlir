// RUN: sinter-opt %s --convert-graph-to-tloop | FileCheck %s

// One nest per operator; the function launches the kernel.

// CHECK-LABEL: tloop.kernel @add_relu
// CHECK-SAME: (%[[X:.+]]: tensor<4x16xf32>, %[[B:.+]]: tensor<16xf32>) -> tensor<4x16xf32>
// CHECK-SAME: roles = ["input", "input"]
// CHECK: %[[T:.+]] = tloop.nest domain [4, 16] {{.*}} ins(%[[X]], %[[B]] :
// CHECK: arith.addf
// CHECK: %[[R:.+]] = tloop.nest domain [4, 16] {{.*}} ins(%[[T]] :
// CHECK: arith.maximumf
// CHECK: tloop.return %[[R]]
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[MX:.+]]: tensor<4x16xf32> {graph.name = "x"}, %[[MB:.+]]: tensor<16xf32>)
// CHECK-NEXT: %[[Y:.+]] = tloop.launch @add_relu(%[[MX]], %[[MB]])
// CHECK-NEXT: return %[[Y]]
func.func @main(%x: tensor<4x16xf32> {graph.name = "x"}, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %y = graph.group @add_relu(%x, %b : tensor<4x16xf32>, tensor<16xf32>) {
  ^bb0(%a: tensor<4x16xf32>, %c: tensor<16xf32>):
    %0 = graph.add %a, %c : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
    %1 = graph.relu %0 : tensor<4x16xf32>
    graph.yield %1 : tensor<4x16xf32>
  } -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}
