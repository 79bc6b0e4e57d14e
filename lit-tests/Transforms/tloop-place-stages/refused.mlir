// RUN: sinter-opt %s --tloop-place-stages --verify-diagnostics

// The second product needs whole columns of the first.

// expected-error @below {{[shape-cannot-share-tile]}}
tloop.kernel @columns(%x: tensor<1024x512xf32>, %w: tensor<512x1024xf32>) -> tensor<1024x1024xf32>
    attributes {roles = ["input", "input"]} {
  %t = tloop.contract domain [1024, 1024, 512] kinds ["parallel", "parallel", "reduction"]
    ins(%x, %w : tensor<1024x512xf32>, tensor<512x1024xf32>)
    maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>]
    writes [affine_map<(d0, d1, d2) -> (d0, d1)>] -> tensor<1024x1024xf32>
  %y = tloop.contract domain [1024, 1024, 1024] kinds ["parallel", "parallel", "reduction"]
    ins(%t, %t : tensor<1024x1024xf32>, tensor<1024x1024xf32>)
    maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>]
    writes [affine_map<(d0, d1, d2) -> (d0, d1)>] -> tensor<1024x1024xf32>
  tloop.return %y : tensor<1024x1024xf32>
}
