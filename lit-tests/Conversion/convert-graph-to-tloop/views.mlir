// RUN: sinter-opt %s --convert-graph-to-tloop --split-input-file | FileCheck %s

// A reshape stays between launches.

// CHECK-LABEL: func.func @main
// CHECK: %[[A:.+]] = tloop.launch @a(
// CHECK: %[[R:.+]] = graph.reshape %[[A]] shape [6] : tensor<2x3xf32> -> tensor<6xf32>
// CHECK: return %[[R]]
func.func @main(%x: tensor<2x3xf32>) -> tensor<6xf32> {
  %a = graph.group @a(%x : tensor<2x3xf32>) {
  ^bb0(%0: tensor<2x3xf32>):
    %1 = graph.exp %0 : tensor<2x3xf32>
    graph.yield %1 : tensor<2x3xf32>
  } -> tensor<2x3xf32>
  %r = graph.reshape %a shape [6] : tensor<2x3xf32> -> tensor<6xf32>
  return %r : tensor<6xf32>
}

// -----

// A transposition of a permuted value gives the same bytes: they only get another type.

// CHECK-LABEL: func.func @main
// CHECK: %[[A:.+]] = tloop.launch @a(
// CHECK: %[[R:.+]] = graph.reshape %[[A]] shape [3, 2] : tensor<2x3xf32> -> tensor<3x2xf32>
// CHECK: return %[[R]]
func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %a = graph.group @a(%x : tensor<2x3xf32>) attributes {layouts = [#graph.layout<(d0, d1) -> (d1, d0)>]} {
  ^bb0(%0: tensor<2x3xf32>):
    %1 = graph.exp %0 : tensor<2x3xf32>
    graph.yield %1 : tensor<2x3xf32>
  } -> tensor<2x3xf32>
  %r = graph.transpose %a perm [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}
