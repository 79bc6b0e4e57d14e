// RUN: sinter-opt %s --convert-graph-to-tloop | FileCheck %s

// A part that is read elsewhere is read from its place in the buffer.

// CHECK: #[[$AT:.+]] = affine_map<(d0, d1) -> (d0, d1 + 3)>
// CHECK-LABEL: tloop.kernel @reader
// CHECK-SAME: (%[[B:.+]]: tensor<2x8xf32>) -> tensor<2x5xf32>
// CHECK: ins(%[[B]] : tensor<2x8xf32>) maps [#[[$AT]]]
func.func @main(%y: tensor<2x5xf32>) -> tensor<2x5xf32> {
  %r = graph.group @writer(%y : tensor<2x5xf32>)
      attributes {placements = [#graph.placement<"b" at [0, 3] of [2, 8]>]} {
  ^bb0(%a: tensor<2x5xf32>):
    %0 = graph.relu %a : tensor<2x5xf32>
    graph.yield %0 : tensor<2x5xf32>
  } -> tensor<2x5xf32>
  %w = graph.group @reader(%r : tensor<2x5xf32>) {
  ^bb0(%a: tensor<2x5xf32>):
    %0 = graph.exp %a : tensor<2x5xf32>
    graph.yield %0 : tensor<2x5xf32>
  } -> tensor<2x5xf32>
  return %w : tensor<2x5xf32>
}
