// RUN: sinter-opt %s --tloop-pack-constants --tloop-apply-layouts | FileCheck %s

// The columns of a weight lie in panels; the last panel is filled up with zeros.

// CHECK: tloop.kernel @narrow(%{{.+}}: tensor<8x64xf32>, %{{.+}}: tensor<[[PANELS:[0-9]+]]x64x[[NR:[0-9]+]]xf32>)
tloop.kernel @narrow(%x: tensor<8x64xf32>, %w: tensor<64x50xf32>) -> tensor<8x50xf32>
    attributes {roles = ["input", "constant"]} {
  %y = tloop.contract domain [8, 50, 64] kinds ["parallel", "parallel", "reduction"]
    ins(%x, %w : tensor<8x64xf32>, tensor<64x50xf32>)
    maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>]
    writes [affine_map<(d0, d1, d2) -> (d0, d1)>] -> tensor<8x50xf32>
  tloop.return %y : tensor<8x50xf32>
}
