// RUN: sinter-opt %s --tloop-apply-layouts --split-input-file --verify-diagnostics

// expected-error @below {{does not fit slot 0 of rank 2 [layout-mismatch]}}
tloop.kernel @rank(%x: tensor<2x3xf32>) -> tensor<2x3xf32>
    attributes {roles = ["input"], layouts = [#tloop.layout<(d0, d1, d2) -> (d1, d0, d2)>, unit]} {
  %y = tloop.nest domain [2, 3] kinds ["parallel", "parallel"]
    ins(%x : tensor<2x3xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>]
    body {
    ^bb0(%a: f32):
      tloop.yield %a : f32
    } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<2x3xf32>
  tloop.return %y : tensor<2x3xf32>
}

// -----

// expected-error @below {{a padded read of slot 0 leaves its blocked dimension 0 [padded-blocked-dimension]}}
tloop.kernel @padded(%x: tensor<30xf32>) -> tensor<32xf32>
    attributes {roles = ["input"], layouts = [#tloop.layout<(d0) -> (d0 floordiv 8, d0 mod 8)>, unit]} {
  %y = tloop.nest domain [32] kinds ["parallel"]
    ins(%x : tensor<30xf32>) maps [affine_map<(d0) -> (d0 - 1)>] pads [1.0]
    body {
    ^bb0(%a: f32):
      tloop.yield %a : f32
    } writes [affine_map<(d0) -> (d0)>] -> tensor<32xf32>
  tloop.return %y : tensor<32xf32>
}

// -----

// expected-error @below {{the kernel is already scheduled [already-scheduled]}}
tloop.kernel @scheduled(%x: tensor<8xf32>) -> tensor<8xf32>
    attributes {roles = ["input"],
                schedule = #tloop.schedule<grid = [], stages = [#tloop.stage<order = [0], lanes = 1, vectors = 1, row_tile = 1, unroll = 1, reduction_tile = []>]>} {
  %y = tloop.nest domain [8] kinds ["parallel"]
    ins(%x : tensor<8xf32>) maps [affine_map<(d0) -> (d0)>]
    body {
    ^bb0(%a: f32):
      tloop.yield %a : f32
    } writes [affine_map<(d0) -> (d0)>] -> tensor<8xf32>
  tloop.return %y : tensor<8xf32>
}
