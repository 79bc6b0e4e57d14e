// RUN: split-file %s %t
// RUN: sinter-opt %t/calls.mlir --tloop-place-stages | FileCheck %s
// RUN: not sinter-opt %t/itself.mlir --tloop-place-stages 2>&1 | FileCheck %s --check-prefix=ITSELF
// RUN: not sinter-opt %t/layouts.mlir --tloop-place-stages 2>&1 | FileCheck %s --check-prefix=LAYOUTS

// The stages of what is called are stages of the caller, fused like its own.

// CHECK-LABEL: tloop.kernel @four_times
// CHECK-NOT: tloop.call
// CHECK: tloop.nest domain [4]
// CHECK: arith.addf
// CHECK: arith.addf
// CHECK-NOT: tloop.nest
// CHECK: tloop.return

//--- calls.mlir
#map = affine_map<(d0) -> (d0)>
tloop.kernel @four_times(%x: tensor<4xf32>) -> tensor<4xf32> attributes {roles = ["input"]} {
  %0 = tloop.call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tloop.call @twice(%0) : (tensor<4xf32>) -> tensor<4xf32>
  tloop.return %1 : tensor<4xf32>
}
tloop.kernel private @twice(%x: tensor<4xf32>) -> tensor<4xf32> attributes {roles = ["input"]} {
  %y = tloop.nest domain [4] kinds ["parallel"] ins(%x : tensor<4xf32>) maps [#map] body {
  ^bb0(%a: f32):
    %0 = arith.addf %a, %a : f32
    tloop.yield %0 : f32
  } writes [#map] -> tensor<4xf32>
  tloop.return %y : tensor<4xf32>
}

// A kernel cannot be its own part.

// ITSELF: a call of '@there', which calls itself

//--- itself.mlir
tloop.kernel @there(%x: tensor<4xf32>) -> tensor<4xf32> attributes {roles = ["input"]} {
  %0 = tloop.call @back(%x) : (tensor<4xf32>) -> tensor<4xf32>
  tloop.return %0 : tensor<4xf32>
}
tloop.kernel @back(%x: tensor<4xf32>) -> tensor<4xf32> attributes {roles = ["input"]} {
  %0 = tloop.call @there(%x) : (tensor<4xf32>) -> tensor<4xf32>
  tloop.return %0 : tensor<4xf32>
}

// Layouts are for what is stored between launches.

// LAYOUTS: a call of '@k', which has layouts

//--- layouts.mlir
#map = affine_map<(d0, d1) -> (d0, d1)>
tloop.kernel @caller(%x: tensor<4x2xf32>) -> tensor<4x2xf32> attributes {roles = ["input"]} {
  %0 = tloop.call @k(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  tloop.return %0 : tensor<4x2xf32>
}
tloop.kernel @k(%x: tensor<4x2xf32>) -> tensor<4x2xf32>
    attributes {roles = ["input"], layouts = [unit, #tloop.layout<(d0, d1) -> (d1, d0)>]} {
  %y = tloop.nest domain [4, 2] kinds ["parallel", "parallel"] ins(%x : tensor<4x2xf32>) maps [#map] body {
  ^bb0(%a: f32):
    %0 = arith.addf %a, %a : f32
    tloop.yield %0 : f32
  } writes [#map] -> tensor<4x2xf32>
  tloop.return %y : tensor<4x2xf32>
}
