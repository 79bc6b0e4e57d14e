// RUN: sinter-opt %s --tloop-apply-layouts --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// Origins stay with their nests.

// CHECK: tloop.nest
// CHECK: loc("Abs_3")
tloop.kernel @abs(%x: tensor<2x3xf32>) -> tensor<2x3xf32>
    attributes {roles = ["input"], layouts = [#tloop.layout<(d0, d1) -> (d1, d0)>, unit]} {
  %y = tloop.nest domain [2, 3] kinds ["parallel", "parallel"]
    ins(%x : tensor<2x3xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>]
    body {
    ^bb0(%a: f32):
      %0 = math.absf %a : f32
      tloop.yield %0 : f32
    } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<2x3xf32> loc("Abs_3")
  tloop.return %y : tensor<2x3xf32>
}
