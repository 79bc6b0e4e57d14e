// RUN: sinter-opt %s --tloop-pack-constants | FileCheck %s

// A layout that is there stays; an input is not packed.

// CHECK-LABEL: tloop.kernel @given
// CHECK-SAME: layouts = [unit, #tloop.layout<(d0, d1) -> (d1, d0)>, unit]
tloop.kernel @given(%x: tensor<32x64xf32>, %w: tensor<64x96xf32>) -> tensor<32x96xf32>
    attributes {roles = ["input", "constant"], layouts = [unit, #tloop.layout<(d0, d1) -> (d1, d0)>, unit]} {
  %y = tloop.contract domain [32, 96, 64] kinds ["parallel", "parallel", "reduction"]
    ins(%x, %w : tensor<32x64xf32>, tensor<64x96xf32>)
    maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>]
    writes [affine_map<(d0, d1, d2) -> (d0, d1)>] -> tensor<32x96xf32>
  tloop.return %y : tensor<32x96xf32>
}

// CHECK-LABEL: tloop.kernel @input
// CHECK-NOT: layouts
// CHECK: tloop.contract
tloop.kernel @input(%x: tensor<32x64xf32>, %w: tensor<64x96xf32>) -> tensor<32x96xf32>
    attributes {roles = ["input", "input"]} {
  %y = tloop.contract domain [32, 96, 64] kinds ["parallel", "parallel", "reduction"]
    ins(%x, %w : tensor<32x64xf32>, tensor<64x96xf32>)
    maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>]
    writes [affine_map<(d0, d1, d2) -> (d0, d1)>] -> tensor<32x96xf32>
  tloop.return %y : tensor<32x96xf32>
}
