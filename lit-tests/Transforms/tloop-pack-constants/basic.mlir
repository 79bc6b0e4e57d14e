// RUN: sinter-opt %s --tloop-pack-constants | FileCheck %s

// The weight of a contraction gets panels of the register tile; other constants get nothing.

// CHECK-LABEL: tloop.kernel @matmul
// CHECK-SAME: layouts = [unit, #tloop.layout<(d0, d1) -> (d1 floordiv [[NR:[0-9]+]], d0, d1 mod [[NR]])>, unit, unit]
// CHECK-SAME: roles = ["input", "constant", "constant"]
tloop.kernel @matmul(%x: tensor<32x64xf32>, %w: tensor<64x96xf32>, %b: tensor<96xf32>) -> tensor<32x96xf32>
    attributes {roles = ["input", "constant", "constant"]} {
  %y = tloop.contract domain [32, 96, 64] kinds ["parallel", "parallel", "reduction"]
    ins(%x, %w : tensor<32x64xf32>, tensor<64x96xf32>)
    maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>]
    finish ins(%b : tensor<96xf32>) maps [affine_map<(d0, d1, d2) -> (d1)>] {
    ^bb0(%acc: f32, %bias: f32):
      %0 = arith.addf %acc, %bias : f32
      tloop.yield %0 : f32
    } writes [affine_map<(d0, d1, d2) -> (d0, d1)>] -> tensor<32x96xf32>
  tloop.return %y : tensor<32x96xf32>
}
