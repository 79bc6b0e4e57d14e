// RUN: sinter-opt %s --tloop-place-stages | FileCheck %s --check-prefix=ONCE
// RUN: sinter-opt %s --tloop-place-stages=repeat-work=true | FileCheck %s --check-prefix=AGAIN

// A transcendental function is not computed again for every reader, unless that is asked for.

// ONCE-COUNT-2: tloop.nest
// AGAIN-COUNT-1: tloop.nest
// AGAIN-NOT: tloop.nest
// AGAIN: tloop.return
tloop.kernel @exp(%x: tensor<16xf32>) -> tensor<64x16xf32> attributes {roles = ["input"]} {
  %t = tloop.nest domain [16] kinds ["parallel"]
    ins(%x : tensor<16xf32>) maps [affine_map<(d0) -> (d0)>]
    body {
    ^bb0(%a: f32):
      %0 = math.exp %a : f32
      tloop.yield %0 : f32
    } writes [affine_map<(d0) -> (d0)>] -> tensor<16xf32>
  %y = tloop.nest domain [64, 16] kinds ["parallel", "parallel"]
    ins(%t : tensor<16xf32>) maps [affine_map<(d0, d1) -> (d1)>]
    body {
    ^bb0(%a: f32):
      tloop.yield %a : f32
    } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<64x16xf32>
  tloop.return %y : tensor<64x16xf32>
}
