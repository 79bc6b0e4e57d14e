// RUN: sinter-opt %s --tloop-place-stages | FileCheck %s

// What follows a contraction at the same points becomes its finish: the accumulator stays in registers.

// CHECK-LABEL: tloop.kernel @bias_relu
// CHECK: tloop.contract
// CHECK: finish ins(%{{.+}} : tensor<8xf32>)
// CHECK: ^bb0(%[[ACC:.+]]: f32, %[[B:.+]]: f32):
// CHECK: arith.addf %[[ACC]], %[[B]]
// CHECK: arith.maximumf
// CHECK-NOT: tloop.nest
// CHECK: tloop.return
tloop.kernel @bias_relu(%x: tensor<4x16xf32>, %w: tensor<16x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32>
    attributes {roles = ["input", "constant", "constant"]} {
  %t = tloop.contract domain [4, 8, 16] kinds ["parallel", "parallel", "reduction"]
    ins(%x, %w : tensor<4x16xf32>, tensor<16x8xf32>)
    maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>]
    writes [affine_map<(d0, d1, d2) -> (d0, d1)>] -> tensor<4x8xf32>
  %y = tloop.nest domain [4, 8] kinds ["parallel", "parallel"]
    ins(%t, %b : tensor<4x8xf32>, tensor<8xf32>)
    maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>]
    body {
    ^bb0(%a: f32, %c: f32):
      %zero = arith.constant 0.0 : f32
      %0 = arith.addf %a, %c : f32
      %1 = arith.maximumf %0, %zero : f32
      tloop.yield %1 : f32
    } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4x8xf32>
  tloop.return %y : tensor<4x8xf32>
}
