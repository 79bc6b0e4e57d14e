// RUN: sinter-opt %s --tloop-place-stages | FileCheck %s

// A row sum that its row's elements need stays a stage of its own: both share the rows.

// CHECK-LABEL: tloop.kernel @normalise
// CHECK: %[[S:.+]] = tloop.nest domain [64, 32] kinds ["parallel", "reduction"]
// CHECK: tloop.nest domain [64, 32] kinds ["parallel", "parallel"]
// CHECK-SAME: ins(%{{.+}}, %[[S]] :
tloop.kernel @normalise(%x: tensor<64x32xf32>) -> tensor<64x32xf32> attributes {roles = ["input"]} {
  %s = tloop.nest domain [64, 32] kinds ["parallel", "reduction"]
    ins(%x : tensor<64x32xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>]
    combine ["add"] init [0.0]
    body {
    ^bb0(%a: f32):
      tloop.yield %a : f32
    } writes [affine_map<(d0, d1) -> (d0)>] -> tensor<64xf32>
  %y = tloop.nest domain [64, 32] kinds ["parallel", "parallel"]
    ins(%x, %s : tensor<64x32xf32>, tensor<64xf32>)
    maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
    body {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.divf %a, %b : f32
      tloop.yield %0 : f32
    } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<64x32xf32>
  tloop.return %y : tensor<64x32xf32>
}
