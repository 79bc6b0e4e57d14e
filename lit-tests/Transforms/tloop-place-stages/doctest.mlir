// RUN: sinter-opt %s --tloop-place-stages | FileCheck %s

// CHECK-COUNT-1: tloop.nest
// CHECK-NOT: tloop.nest
// CHECK: tloop.return
tloop.kernel @neg_abs(%x: tensor<8xf32>) -> tensor<8xf32> attributes {roles = ["input"]} {
  %t = tloop.nest domain [8] kinds ["parallel"]
    ins(%x : tensor<8xf32>) maps [affine_map<(d0) -> (d0)>]
    body {
    ^bb0(%a: f32):
      %0 = arith.negf %a : f32
      tloop.yield %0 : f32
    } writes [affine_map<(d0) -> (d0)>] -> tensor<8xf32>
  %y = tloop.nest domain [8] kinds ["parallel"]
    ins(%t : tensor<8xf32>) maps [affine_map<(d0) -> (d0)>]
    body {
    ^bb0(%a: f32):
      %0 = math.absf %a : f32
      tloop.yield %0 : f32
    } writes [affine_map<(d0) -> (d0)>] -> tensor<8xf32>
  tloop.return %y : tensor<8xf32>
}
