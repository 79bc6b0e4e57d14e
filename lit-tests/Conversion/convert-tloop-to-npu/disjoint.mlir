// RUN: sinter-opt %s --tloop-schedule --convert-tloop-to-npu | FileCheck %s

// A kernel that reads columns 0..16 and writes columns 16..32 may do so in one buffer: parts of a
// concatenation that are stored in place.

// CHECK-LABEL: npu.kernel @beside
// CHECK-SAME: disjoint = array<i64: 0, 1>
// CHECK-LABEL: npu.kernel @overlapping
// CHECK-NOT: disjoint
// CHECK: npu.return
tloop.kernel @beside(%x: tensor<4x32xf32>, %to: tensor<4x32xf32>) -> tensor<4x32xf32> attributes {roles = ["input", "output"]} {
  %y = tloop.nest domain [4, 16] kinds ["parallel", "parallel"]
    ins(%x : tensor<4x32xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>]
    body {
    ^bb0(%a: f32):
      %0 = math.absf %a : f32
      tloop.yield %0 : f32
    } outs(%to : tensor<4x32xf32>) writes [affine_map<(d0, d1) -> (d0, d1 + 16)>] -> tensor<4x32xf32>
  tloop.return %y : tensor<4x32xf32>
}
tloop.kernel @overlapping(%x: tensor<4x32xf32>, %to: tensor<4x32xf32>) -> tensor<4x32xf32> attributes {roles = ["input", "output"]} {
  %y = tloop.nest domain [4, 16] kinds ["parallel", "parallel"]
    ins(%x : tensor<4x32xf32>) maps [affine_map<(d0, d1) -> (d0, d1 + 1)>]
    body {
    ^bb0(%a: f32):
      %0 = math.absf %a : f32
      tloop.yield %0 : f32
    } outs(%to : tensor<4x32xf32>) writes [affine_map<(d0, d1) -> (d0, d1 + 16)>] -> tensor<4x32xf32>
  tloop.return %y : tensor<4x32xf32>
}
