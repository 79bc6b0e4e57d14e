// RUN: sinter-opt %s --split-input-file --convert-tloop-to-npu | FileCheck %s
// RUN: sinter-opt %s --split-input-file --convert-tloop-to-npu --verify-roundtrip -o /dev/null

// The last block has less than a tile and runs as far as the axis goes, so a padded read at the point itself is
// never outside and is not tested.

// CHECK-LABEL: npu.kernel @at_the_point
// CHECK: arith.minsi
// CHECK-NOT: arith.cmpi
// CHECK: npu.return
tloop.kernel @at_the_point(%x: tensor<11x16xf32>) -> tensor<11x16xf32> attributes {roles = ["input"],
    schedule = #tloop.schedule<grid = [#tloop.axis<extent = 11, tile = 2, iters = [0]>], stages = [#tloop.stage<order = [0, 1],
    vector = 1, lanes = 16, vectors = 1, row_tile = 1, unroll = 1, reduction_tile = []>]>} {
  %y = tloop.nest domain [11, 16] kinds ["parallel", "parallel"]
    ins(%x : tensor<11x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] pads [0.0]
    body {
    ^bb0(%a: f32):
      %0 = math.absf %a : f32
      tloop.yield %0 : f32
    } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<11x16xf32>
  tloop.return %y : tensor<11x16xf32>
}

// -----

// One row further on it is outside for the last row.

// CHECK-LABEL: npu.kernel @one_further
// CHECK: arith.cmpi ult
// CHECK: npu.return
tloop.kernel @one_further(%x: tensor<11x16xf32>) -> tensor<11x16xf32> attributes {roles = ["input"],
    schedule = #tloop.schedule<grid = [#tloop.axis<extent = 11, tile = 2, iters = [0]>], stages = [#tloop.stage<order = [0, 1],
    vector = 1, lanes = 16, vectors = 1, row_tile = 1, unroll = 1, reduction_tile = []>]>} {
  %y = tloop.nest domain [11, 16] kinds ["parallel", "parallel"]
    ins(%x : tensor<11x16xf32>) maps [affine_map<(d0, d1) -> (d0 + 1, d1)>] pads [0.0]
    body {
    ^bb0(%a: f32):
      %0 = math.absf %a : f32
      tloop.yield %0 : f32
    } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<11x16xf32>
  tloop.return %y : tensor<11x16xf32>
}
