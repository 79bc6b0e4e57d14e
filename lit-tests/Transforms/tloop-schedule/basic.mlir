// RUN: sinter-opt %s --tloop-schedule | FileCheck %s

// A product gets register tiles: vectors along the columns, rows beside them.

// CHECK-LABEL: tloop.kernel @matmul
// CHECK-SAME: schedule = #tloop.schedule<grid = [#tloop.axis<extent = 64,
// CHECK-SAME: stages = [#tloop.stage<order = [{{[01], [01]}}, 2], vector = 1, lanes = 8,
// CHECK-SAME: rows = 0
tloop.kernel @matmul(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32>
    attributes {roles = ["input", "constant"]} {
  %y = tloop.contract domain [64, 64, 64] kinds ["parallel", "parallel", "reduction"]
    ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>)
    maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>]
    writes [affine_map<(d0, d1, d2) -> (d0, d1)>] -> tensor<64x64xf32>
  tloop.return %y : tensor<64x64xf32>
}
