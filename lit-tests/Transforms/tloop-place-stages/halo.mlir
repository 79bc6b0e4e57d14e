// RUN: sinter-opt %s --tloop-place-stages --tloop-schedule | FileCheck %s

// The second convolution reads the first one's result through a window of 3 rows. Both run along the
// same axis of the grid: blocks overlap in the rows of the first.

// CHECK-LABEL: tloop.kernel @rows
// CHECK-SAME: #tloop.axis<extent = 4096, tile = {{[0-9]+}}, iters = [0, 0]>
// CHECK: %[[T:.+]] = tloop.contract domain [4096, 16, 3, 16]
// CHECK: tloop.contract domain [4096, 16, 3, 16]
// CHECK-SAME: ins(%[[T]],
tloop.kernel @rows(%x: tensor<4096x16xf32>, %w: tensor<3x16x16xf32>) -> tensor<4096x16xf32>
    attributes {roles = ["input", "constant"]} {
  %t = tloop.contract domain [4096, 16, 3, 16] kinds ["parallel", "parallel", "reduction", "reduction"]
    ins(%x, %w : tensor<4096x16xf32>, tensor<3x16x16xf32>)
    maps [affine_map<(d0, d1, d2, d3) -> (d0 + d2 - 1, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3, d1)>]
    pads [0.0, unit]
    writes [affine_map<(d0, d1, d2, d3) -> (d0, d1)>] -> tensor<4096x16xf32>
  %y = tloop.contract domain [4096, 16, 3, 16] kinds ["parallel", "parallel", "reduction", "reduction"]
    ins(%t, %w : tensor<4096x16xf32>, tensor<3x16x16xf32>)
    maps [affine_map<(d0, d1, d2, d3) -> (d0 + d2 - 1, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3, d1)>]
    pads [0.0, unit]
    writes [affine_map<(d0, d1, d2, d3) -> (d0, d1)>] -> tensor<4096x16xf32>
  tloop.return %y : tensor<4096x16xf32>
}
