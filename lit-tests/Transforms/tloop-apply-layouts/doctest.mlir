// RUN: sinter-opt %s --tloop-apply-layouts | FileCheck %s

// A matrix stored by columns.

// CHECK: tloop.kernel @row_sums(%{{.+}}: tensor<8x4xf32>) -> tensor<4xf32>
// CHECK: tloop.nest domain [4, 8] kinds ["parallel", "reduction"]
tloop.kernel @row_sums(%x: tensor<4x8xf32>) -> tensor<4xf32>
    attributes {roles = ["input"], layouts = [#tloop.layout<(d0, d1) -> (d1, d0)>, unit]} {
  %y = tloop.nest domain [4, 8] kinds ["parallel", "reduction"]
    ins(%x : tensor<4x8xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>]
    combine ["add"] init [0.0]
    body {
    ^bb0(%a: f32):
      tloop.yield %a : f32
    } writes [affine_map<(d0, d1) -> (d0)>] -> tensor<4xf32>
  tloop.return %y : tensor<4xf32>
}
