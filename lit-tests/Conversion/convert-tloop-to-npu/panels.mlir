// RUN: sinter-opt %s --split-input-file --tloop-schedule --convert-tloop-to-npu | FileCheck %s
// RUN: sinter-opt %s --split-input-file --tloop-schedule --convert-tloop-to-npu --verify-roundtrip -o /dev/null

// Register tiles of the same panel of weights ask for the next one, each for its share, into the second-level cache.

// CHECK-LABEL: npu.kernel @product
// CHECK: scf.for
// CHECK: memref.prefetch {{.+}}, read, locality<2>
// CHECK: math.fma
// CHECK: npu.return
tloop.kernel @product(%x: tensor<48x512xf32>, %w: tensor<16x512x16xf32>) -> tensor<48x16x16xf32> attributes {roles = ["input", "constant"]} {
  %y = tloop.contract domain [48, 16, 16, 512] kinds ["parallel", "parallel", "parallel", "reduction"]
    ins(%x, %w : tensor<48x512xf32>, tensor<16x512x16xf32>)
    maps [affine_map<(d0, d1, d2, d3) -> (d0, d3)>, affine_map<(d0, d1, d2, d3) -> (d1, d3, d2)>]
    writes [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>] -> tensor<48x16x16xf32>
  tloop.return %y : tensor<48x16x16xf32>
}

// -----

// One register tile has all rows: it would ask for as much as it loads.

// CHECK-LABEL: npu.kernel @one_tile
// CHECK-NOT: memref.prefetch
// CHECK: npu.return
tloop.kernel @one_tile(%x: tensor<4x512xf32>, %w: tensor<16x512x16xf32>) -> tensor<4x16x16xf32> attributes {roles = ["input", "constant"]} {
  %y = tloop.contract domain [4, 16, 16, 512] kinds ["parallel", "parallel", "parallel", "reduction"]
    ins(%x, %w : tensor<4x512xf32>, tensor<16x512x16xf32>)
    maps [affine_map<(d0, d1, d2, d3) -> (d0, d3)>, affine_map<(d0, d1, d2, d3) -> (d1, d3, d2)>]
    writes [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>] -> tensor<4x16x16xf32>
  tloop.return %y : tensor<4x16x16xf32>
}

// -----

// The first-level cache holds all weights.

// CHECK-LABEL: npu.kernel @small
// CHECK-NOT: memref.prefetch
// CHECK: npu.return
tloop.kernel @small(%x: tensor<48x64xf32>, %w: tensor<4x64x16xf32>) -> tensor<48x4x16xf32> attributes {roles = ["input", "constant"]} {
  %y = tloop.contract domain [48, 4, 16, 64] kinds ["parallel", "parallel", "parallel", "reduction"]
    ins(%x, %w : tensor<48x64xf32>, tensor<4x64x16xf32>)
    maps [affine_map<(d0, d1, d2, d3) -> (d0, d3)>, affine_map<(d0, d1, d2, d3) -> (d1, d3, d2)>]
    writes [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>] -> tensor<48x4x16xf32>
  tloop.return %y : tensor<48x4x16xf32>
}

// -----

// What the model computes is no panel of weights.

// CHECK-LABEL: npu.kernel @computed
// CHECK-NOT: memref.prefetch
// CHECK: npu.return
tloop.kernel @computed(%x: tensor<48x512xf32>, %w: tensor<16x512x16xf32>) -> tensor<48x16x16xf32> attributes {roles = ["input", "input"]} {
  %y = tloop.contract domain [48, 16, 16, 512] kinds ["parallel", "parallel", "parallel", "reduction"]
    ins(%x, %w : tensor<48x512xf32>, tensor<16x512x16xf32>)
    maps [affine_map<(d0, d1, d2, d3) -> (d0, d3)>, affine_map<(d0, d1, d2, d3) -> (d1, d3, d2)>]
    writes [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>] -> tensor<48x16x16xf32>
  tloop.return %y : tensor<48x16x16xf32>
}

// -----

// Weights that are not packed: what a tile reads next is no run of memory.

// CHECK-LABEL: npu.kernel @rows
// CHECK-NOT: memref.prefetch
// CHECK: npu.return
tloop.kernel @rows(%x: tensor<48x512xf32>, %w: tensor<512x256xf32>) -> tensor<48x256xf32> attributes {roles = ["input", "constant"]} {
  %y = tloop.contract domain [48, 256, 512] kinds ["parallel", "parallel", "reduction"]
    ins(%x, %w : tensor<48x512xf32>, tensor<512x256xf32>)
    maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>]
    writes [affine_map<(d0, d1, d2) -> (d0, d1)>] -> tensor<48x256xf32>
  tloop.return %y : tensor<48x256xf32>
}
