// RUN: sinter-opt %s --tloop-apply-layouts | FileCheck %s

// A blocked dimension splits its iterator: no quotient is left in the accesses.

// CHECK-NOT: floordiv
// CHECK-LABEL: tloop.kernel @packed(%{{.+}}: tensor<8x64xf32>, %{{.+}}: tensor<2x64x16xf32>) -> tensor<8x32xf32>
// CHECK: tloop.contract domain [8, 2, 16, 64]
tloop.kernel @packed(%x: tensor<8x64xf32>, %w: tensor<64x32xf32>) -> tensor<8x32xf32>
    attributes {roles = ["input", "constant"],
                layouts = [unit, #tloop.layout<(d0, d1) -> (d1 floordiv 16, d0, d1 mod 16)>, unit]} {
  %y = tloop.contract domain [8, 32, 64] kinds ["parallel", "parallel", "reduction"]
    ins(%x, %w : tensor<8x64xf32>, tensor<64x32xf32>)
    maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>]
    writes [affine_map<(d0, d1, d2) -> (d0, d1)>] -> tensor<8x32xf32>
  tloop.return %y : tensor<8x32xf32>
}
