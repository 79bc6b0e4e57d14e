// RUN: sinter-opt %s --tloop-schedule="rows=3 jam=2" | FileCheck %s
// RUN: sinter-opt %s --tloop-schedule | FileCheck %s --check-prefix=PLANNED
// RUN: not sinter-opt %s --tloop-schedule="jam=1025" 2>&1 | FileCheck %s --check-prefix=UNITS

// A depthwise convolution whose register tile has pixels of several rows of the image, as planned and with other sizes.

// CHECK: rows = 1, row_tile = 3, jam = 0, jam_tile = 2, unroll = 9
// PLANNED: rows = 1, row_tile = 2, jam = 0, jam_tile = 4, unroll = 9
// UNITS: error: {{.*}}1025 jammed points are no register tile: give at most 1024 [no-such-tile]
tloop.kernel @depthwise(%x: tensor<28x28x512xf32>, %w: tensor<3x3x512xf32>) -> tensor<28x28x512xf32>
    attributes {roles = ["input", "constant"], tloop.planned = #tloop.schedule<
      grid = [#tloop.axis<extent = 28, tile = 4, iters = [0]>, #tloop.axis<extent = 28, tile = 28, iters = [1]>, #tloop.axis<extent = 512, tile = 512, iters = [2]>],
      stages = [#tloop.stage<order = [0, 1, 2, 3, 4], vector = 2, lanes = 8, vectors = 1, rows = 1, row_tile = 2, jam = 0, jam_tile = 4, unroll = 9, reduction_tile = []>]>} {
  %y = tloop.contract domain [28, 28, 512, 3, 3] kinds ["parallel", "parallel", "parallel", "reduction", "reduction"]
    ins(%x, %w : tensor<28x28x512xf32>, tensor<3x3x512xf32>)
    maps [affine_map<(d0, d1, d2, d3, d4) -> (d0 + d3 - 1, d1 + d4 - 1, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d3, d4, d2)>]
    pads [0.0 : f32, unit]
    writes [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>] -> tensor<28x28x512xf32>
  tloop.return %y : tensor<28x28x512xf32>
}
