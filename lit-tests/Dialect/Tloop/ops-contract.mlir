// RUN: sinter-opt %s | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --mlir-print-op-generic | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --emit-bytecode | sinter-opt | FileCheck %s

// Contractions: plain, with a finish, padded.

// CHECK-LABEL: tloop.kernel @matmul(
// CHECK-SAME: [[A:%[^:]+]]:{{.*}} [[B:%[^:]+]]:
// CHECK: [[Y:%.+]] = tloop.contract domain [128, 32, 64] kinds ["parallel", "parallel", "reduction"] ins([[A]], [[B]] : tensor<128x64xf32>, tensor<64x32xf32>) maps [#map, #map1] writes [#map2] -> tensor<128x32xf32>
// CHECK: tloop.return [[Y]] : tensor<128x32xf32>
tloop.kernel @matmul(%a: tensor<128x64xf32>, %b: tensor<64x32xf32>) -> tensor<128x32xf32> {
  %y = tloop.contract domain [128, 32, 64] kinds ["parallel", "parallel", "reduction"] ins(%a, %b : tensor<128x64xf32>, tensor<64x32xf32>) maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>] writes [affine_map<(d0, d1, d2) -> (d0, d1)>] -> tensor<128x32xf32>
  tloop.return %y : tensor<128x32xf32>
}

// CHECK-LABEL: tloop.kernel @conv_bias(
// CHECK-SAME: [[X:%[^:]+]]:{{.*}} [[W:%[^:]+]]:{{.*}} [[B:%[^:]+]]:
// CHECK: [[Y:%.+]] = tloop.contract domain [8, 8, 16, 3, 3, 4] kinds ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"] ins([[X]], [[W]] : tensor<8x8x4xf32>, tensor<3x3x4x16xf32>) maps [#map3, #map4] pads [0.000000e+00, unit] finish ins([[B]] : tensor<16xf32>) maps [#map5] {
// CHECK: ^bb0([[ACC:%.+]]: f32, [[BIAS:%.+]]: f32):
// CHECK: [[S:%.+]] = arith.addf [[ACC]], [[BIAS]] : f32
// CHECK: tloop.yield [[S]] : f32
// CHECK: } writes [#map6] -> tensor<8x8x16xf32>
// CHECK: tloop.return [[Y]] : tensor<8x8x16xf32>
tloop.kernel @conv_bias(%x: tensor<8x8x4xf32>, %w: tensor<3x3x4x16xf32>, %b: tensor<16xf32>) -> tensor<8x8x16xf32> {
  %y = tloop.contract domain [8, 8, 16, 3, 3, 4] kinds ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"] ins(%x, %w : tensor<8x8x4xf32>, tensor<3x3x4x16xf32>) maps [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 + d3 - 1, d1 + d4 - 1, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d4, d5, d2)>] pads [0.000000e+00, unit] finish ins(%b : tensor<16xf32>) maps [affine_map<(d0, d1, d2, d3, d4, d5) -> (d2)>] {
  ^bb0(%acc: f32, %bias: f32):
    %s = arith.addf %acc, %bias : f32
    tloop.yield %s : f32
  } writes [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2)>] -> tensor<8x8x16xf32>
  tloop.return %y : tensor<8x8x16xf32>
}
