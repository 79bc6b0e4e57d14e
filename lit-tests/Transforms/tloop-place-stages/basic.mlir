// RUN: sinter-opt %s --tloop-place-stages | FileCheck %s

// A pointwise stage is inlined into its reader.

// CHECK-LABEL: tloop.kernel @chain
// CHECK: %[[Y:.+]] = tloop.nest
// CHECK: %[[S:.+]] = arith.addf %[[A:.+]], %[[A]]
// CHECK-NEXT: %[[Q:.+]] = math.sqrt %[[S]]
// CHECK-NEXT: tloop.yield %[[Q]]
// CHECK-NOT: tloop.nest
// CHECK: tloop.return %[[Y]]
tloop.kernel @chain(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {roles = ["input"]} {
  %t = tloop.nest domain [4, 8] kinds ["parallel", "parallel"]
    ins(%x : tensor<4x8xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>]
    body {
    ^bb0(%a: f32):
      %0 = arith.addf %a, %a : f32
      tloop.yield %0 : f32
    } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4x8xf32>
  %y = tloop.nest domain [4, 8] kinds ["parallel", "parallel"]
    ins(%t : tensor<4x8xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>]
    body {
    ^bb0(%a: f32):
      %0 = math.sqrt %a : f32
      tloop.yield %0 : f32
    } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4x8xf32>
  tloop.return %y : tensor<4x8xf32>
}
