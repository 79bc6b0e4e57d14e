// RUN: sinter-opt %s --tloop-coalesce | FileCheck %s

// Two neighbouring dimensions become one, the last stays.

// CHECK: tloop.nest domain [12, 5] kinds ["parallel", "reduction"]
tloop.kernel @sums(%x: tensor<3x4x5xf32>) -> tensor<3x4xf32> attributes {roles = ["input"]} {
  %y = tloop.nest domain [3, 4, 5] kinds ["parallel", "parallel", "reduction"]
    ins(%x : tensor<3x4x5xf32>) maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
    combine ["max"] init [0xFFF0000000000000 : f64]
    body {
    ^bb0(%a: f32):
      tloop.yield %a : f32
    } writes [affine_map<(d0, d1, d2) -> (d0, d1)>] -> tensor<3x4xf32>
  tloop.return %y : tensor<3x4xf32>
}
