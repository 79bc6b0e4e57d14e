// RUN: sinter-opt %s --tloop-coalesce | FileCheck %s

// A scheduled kernel stays as it is.

// CHECK: tloop.nest domain [4, 8] kinds ["parallel", "parallel"]
tloop.kernel @scheduled(%x: tensor<4x8xf32>) -> tensor<4x8xf32>
    attributes {roles = ["input"],
                schedule = #tloop.schedule<grid = [], stages = [#tloop.stage<order = [0, 1], lanes = 1, vectors = 1, row_tile = 1, unroll = 1, reduction_tile = []>]>} {
  %y = tloop.nest domain [4, 8] kinds ["parallel", "parallel"]
    ins(%x : tensor<4x8xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>]
    body {
    ^bb0(%a: f32):
      tloop.yield %a : f32
    } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4x8xf32>
  tloop.return %y : tensor<4x8xf32>
}
