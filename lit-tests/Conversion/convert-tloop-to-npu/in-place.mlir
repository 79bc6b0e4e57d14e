// RUN: sinter-opt %s --tloop-schedule --convert-tloop-to-npu | FileCheck %s

// A kernel that reads of an input only the element that it writes may write over the input.

// CHECK-LABEL: npu.kernel @abs
// CHECK-SAME: in_place = array<i64: 0, 1>
// CHECK-LABEL: npu.kernel @transpose
// CHECK-NOT: in_place
// CHECK: npu.return
tloop.kernel @abs(%x: tensor<4x16xf32>) -> tensor<4x16xf32> attributes {roles = ["input"]} {
  %y = tloop.nest domain [4, 16] kinds ["parallel", "parallel"]
    ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>]
    body {
    ^bb0(%a: f32):
      %0 = math.absf %a : f32
      tloop.yield %0 : f32
    } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4x16xf32>
  tloop.return %y : tensor<4x16xf32>
}
tloop.kernel @transpose(%x: tensor<16x16xf32>) -> tensor<16x16xf32> attributes {roles = ["input"]} {
  %y = tloop.nest domain [16, 16] kinds ["parallel", "parallel"]
    ins(%x : tensor<16x16xf32>) maps [affine_map<(d0, d1) -> (d1, d0)>]
    body {
    ^bb0(%a: f32):
      tloop.yield %a : f32
    } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<16x16xf32>
  tloop.return %y : tensor<16x16xf32>
}
