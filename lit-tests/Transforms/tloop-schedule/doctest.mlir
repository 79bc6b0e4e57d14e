// RUN: sinter-opt %s --tloop-schedule | FileCheck %s

// A row sum runs its vectors along the row; lanes are combined at the end.

// CHECK-LABEL: tloop.kernel @row_sums
// CHECK-SAME: schedule = #tloop.schedule<grid = [#tloop.axis<extent = 64,
// CHECK-SAME: vector = 1, lanes = 8
tloop.kernel @row_sums(%x: tensor<64x128xf32>) -> tensor<64xf32> attributes {roles = ["input"]} {
  %y = tloop.nest domain [64, 128] kinds ["parallel", "reduction"]
    ins(%x : tensor<64x128xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>]
    combine ["add"] init [0.0]
    body {
    ^bb0(%a: f32):
      tloop.yield %a : f32
    } writes [affine_map<(d0, d1) -> (d0)>] -> tensor<64xf32>
  tloop.return %y : tensor<64xf32>
}
