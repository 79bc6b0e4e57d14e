// RUN: sinter-opt %s --tloop-apply-layouts > %t.once
// RUN: sinter-opt %s --tloop-apply-layouts --tloop-apply-layouts > %t.twice
// RUN: diff %t.once %t.twice
// RUN: FileCheck %s < %t.twice

// A kernel is made physical once.

// CHECK: tloop.kernel @copy(%{{.+}}: tensor<3x2xf32>) -> tensor<2x3xf32>
tloop.kernel @copy(%x: tensor<2x3xf32>) -> tensor<2x3xf32>
    attributes {roles = ["input"], layouts = [#tloop.layout<(d0, d1) -> (d1, d0)>, unit]} {
  %y = tloop.nest domain [2, 3] kinds ["parallel", "parallel"]
    ins(%x : tensor<2x3xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>]
    body {
    ^bb0(%a: f32):
      tloop.yield %a : f32
    } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<2x3xf32>
  tloop.return %y : tensor<2x3xf32>
}
