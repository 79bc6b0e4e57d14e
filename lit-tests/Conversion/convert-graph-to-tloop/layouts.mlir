// RUN: sinter-opt %s --convert-graph-to-tloop | FileCheck %s

// Layouts of results, and of operands, are on the kernel's slots; the schedule comes along as planned.

// CHECK-LABEL: tloop.kernel @first
// CHECK-SAME: layouts = [unit, #tloop.layout<(d0, d1, d2) -> (d0, d2, d1)>]
// CHECK-SAME: tloop.planned = #tloop.schedule<grid = [], stages = []>
// CHECK-LABEL: tloop.kernel @second
// CHECK-SAME: layouts = [#tloop.layout<(d0, d1, d2) -> (d0, d2, d1)>, unit]
func.func @main(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %t = graph.group @first(%x : tensor<2x3x4xf32>)
      attributes {layouts = [#graph.layout<(d0, d1, d2) -> (d0, d2, d1)>],
                  schedule = #tloop.schedule<grid = [], stages = []>} {
  ^bb0(%a: tensor<2x3x4xf32>):
    %0 = graph.exp %a : tensor<2x3x4xf32>
    graph.yield %0 : tensor<2x3x4xf32>
  } -> tensor<2x3x4xf32>
  %y = graph.group @second(%t : tensor<2x3x4xf32>) {
  ^bb0(%a: tensor<2x3x4xf32>):
    %0 = graph.relu %a : tensor<2x3x4xf32>
    graph.yield %0 : tensor<2x3x4xf32>
  } -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}
