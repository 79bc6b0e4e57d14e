// RUN: sinter-opt %s --tloop-place-stages --tloop-schedule | FileCheck %s

// The second convolution reads the first one's result through a window of 3 rows and columns. Both run along the
// same axis of the grid: blocks overlap in the rows of the first.

// CHECK-LABEL: tloop.kernel @rows
// CHECK-SAME: #tloop.axis<extent = 64, tile = {{[0-9]|[1-3][0-9]}}, iters = [0, 0]>
// CHECK: %[[T:.+]] = tloop.contract domain [64, 64, 16, 3, 3, 16]
// CHECK: tloop.contract domain [64, 64, 16, 3, 3, 16]
// CHECK-SAME: ins(%[[T]],
#image = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 + d3 - 1, d1 + d4 - 1, d5)>
#weights = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d4, d5, d2)>
#result = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2)>
tloop.kernel @rows(%x: tensor<64x64x16xf32>, %w: tensor<3x3x16x16xf32>) -> tensor<64x64x16xf32>
    attributes {roles = ["input", "constant"]} {
  %t = tloop.contract domain [64, 64, 16, 3, 3, 16] kinds ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]
    ins(%x, %w : tensor<64x64x16xf32>, tensor<3x3x16x16xf32>) maps [#image, #weights] pads [0.0, unit]
    writes [#result] -> tensor<64x64x16xf32>
  %y = tloop.contract domain [64, 64, 16, 3, 3, 16] kinds ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]
    ins(%t, %w : tensor<64x64x16xf32>, tensor<3x3x16x16xf32>) maps [#image, #weights] pads [0.0, unit]
    writes [#result] -> tensor<64x64x16xf32>
  tloop.return %y : tensor<64x64x16xf32>
}
