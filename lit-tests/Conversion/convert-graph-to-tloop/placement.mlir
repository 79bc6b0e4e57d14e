// RUN: sinter-opt %s --convert-graph-to-tloop | FileCheck %s

// Two kernels write their parts into one buffer, which the third reads as a whole.

// CHECK-LABEL: tloop.kernel @left(%{{.+}}: tensor<2x3xf32>, %{{.+}}: tensor<2x8xf32>) -> tensor<2x8xf32>
// CHECK-SAME: roles = ["input", "output"]
// CHECK-LABEL: tloop.kernel @right(%{{.+}}: tensor<2x5xf32>, %{{.+}}: tensor<2x8xf32>) -> tensor<2x8xf32>
// CHECK-LABEL: tloop.kernel @whole(%{{.+}}: tensor<2x8xf32>) -> tensor<2x8xf32>
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.+]]: tensor<2x3xf32>, %[[Y:.+]]: tensor<2x5xf32>)
// CHECK-NEXT: %[[E:.+]] = tensor.empty() : tensor<2x8xf32>
// CHECK-NEXT: %[[L:.+]] = tloop.launch @left(%[[X]], %[[E]])
// CHECK-NEXT: %[[R:.+]] = tloop.launch @right(%[[Y]], %[[L]])
// CHECK-NEXT: %[[W:.+]] = tloop.launch @whole(%[[R]])
// CHECK-NEXT: return %[[W]]
func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x5xf32>) -> tensor<2x8xf32> {
  %l = graph.group @left(%x : tensor<2x3xf32>)
      attributes {placements = [#graph.placement<"b" at [0, 0] of [2, 8]>]} {
  ^bb0(%a: tensor<2x3xf32>):
    %0 = graph.exp %a : tensor<2x3xf32>
    graph.yield %0 : tensor<2x3xf32>
  } -> tensor<2x3xf32>
  %r = graph.group @right(%y : tensor<2x5xf32>)
      attributes {placements = [#graph.placement<"b" at [0, 3] of [2, 8]>]} {
  ^bb0(%a: tensor<2x5xf32>):
    %0 = graph.relu %a : tensor<2x5xf32>
    graph.yield %0 : tensor<2x5xf32>
  } -> tensor<2x5xf32>
  %c = graph.concat %l, %r axis 1 {graph.placement = #graph.placement<"b" at [0, 0] of [2, 8]>}
    : (tensor<2x3xf32>, tensor<2x5xf32>) -> tensor<2x8xf32>
  %w = graph.group @whole(%c : tensor<2x8xf32>) {
  ^bb0(%a: tensor<2x8xf32>):
    %0 = graph.sigmoid %a : tensor<2x8xf32>
    graph.yield %0 : tensor<2x8xf32>
  } -> tensor<2x8xf32>
  return %w : tensor<2x8xf32>
}

// A view of the whole buffer is a view of what the last of its writers leaves.

// CHECK-LABEL: func.func @viewed
// CHECK: %[[R2:.+]] = tloop.launch @right2
// CHECK-NEXT: %[[V:.+]] = graph.reshape %[[R2]] shape [16]
// CHECK-NEXT: tloop.launch @flat(%[[V]])
func.func @viewed(%x: tensor<2x3xf32>, %y: tensor<2x5xf32>) -> tensor<16xf32> {
  %l = graph.group @left2(%x : tensor<2x3xf32>)
      attributes {placements = [#graph.placement<"b" at [0, 0] of [2, 8]>]} {
  ^bb0(%a: tensor<2x3xf32>):
    %0 = graph.exp %a : tensor<2x3xf32>
    graph.yield %0 : tensor<2x3xf32>
  } -> tensor<2x3xf32>
  %r = graph.group @right2(%y : tensor<2x5xf32>)
      attributes {placements = [#graph.placement<"b" at [0, 3] of [2, 8]>]} {
  ^bb0(%a: tensor<2x5xf32>):
    %0 = graph.relu %a : tensor<2x5xf32>
    graph.yield %0 : tensor<2x5xf32>
  } -> tensor<2x5xf32>
  %c = graph.concat %l, %r axis 1 {graph.placement = #graph.placement<"b" at [0, 0] of [2, 8]>}
    : (tensor<2x3xf32>, tensor<2x5xf32>) -> tensor<2x8xf32>
  %v = graph.reshape %c shape [16] : tensor<2x8xf32> -> tensor<16xf32>
  %w = graph.group @flat(%v : tensor<16xf32>) {
  ^bb0(%a: tensor<16xf32>):
    %0 = graph.sigmoid %a : tensor<16xf32>
    graph.yield %0 : tensor<16xf32>
  } -> tensor<16xf32>
  return %w : tensor<16xf32>
}
