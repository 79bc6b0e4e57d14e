// RUN: sinter-opt %s --tloop-schedule | FileCheck %s

// The schedule that fusion priced is taken, and is no longer planned.

// CHECK: tloop.kernel @planned
// CHECK-NOT: tloop.planned
// CHECK-SAME: schedule = #tloop.schedule<grid = [#tloop.axis<extent = 64, tile = 5, iters = [0]>]
tloop.kernel @planned(%x: tensor<64xf32>) -> tensor<64xf32>
    attributes {roles = ["input"],
                tloop.planned = #tloop.schedule<grid = [#tloop.axis<extent = 64, tile = 5, iters = [0]>], stages = [#tloop.stage<order = [0], lanes = 1, vectors = 1, row_tile = 1, unroll = 1, reduction_tile = []>]>} {
  %y = tloop.nest domain [64] kinds ["parallel"]
    ins(%x : tensor<64xf32>) maps [affine_map<(d0) -> (d0)>]
    body {
    ^bb0(%a: f32):
      %0 = math.absf %a : f32
      tloop.yield %0 : f32
    } writes [affine_map<(d0) -> (d0)>] -> tensor<64xf32>
  tloop.return %y : tensor<64xf32>
}

// A plan for another number of stages is not.

// CHECK: tloop.kernel @other
// CHECK-NOT: tile = 5
// CHECK: tloop.nest
tloop.kernel @other(%x: tensor<64xf32>) -> tensor<64xf32>
    attributes {roles = ["input"],
                tloop.planned = #tloop.schedule<grid = [#tloop.axis<extent = 64, tile = 5, iters = []>], stages = []>} {
  %y = tloop.nest domain [64] kinds ["parallel"]
    ins(%x : tensor<64xf32>) maps [affine_map<(d0) -> (d0)>]
    body {
    ^bb0(%a: f32):
      %0 = math.absf %a : f32
      tloop.yield %0 : f32
    } writes [affine_map<(d0) -> (d0)>] -> tensor<64xf32>
  tloop.return %y : tensor<64xf32>
}
