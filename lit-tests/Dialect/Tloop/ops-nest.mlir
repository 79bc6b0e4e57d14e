// RUN: sinter-opt %s | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --mlir-print-op-generic | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --emit-bytecode | sinter-opt | FileCheck %s

// Nests: reduction with a finish, padding, no inputs, several results, destinations, buffers.

// CHECK-LABEL: tloop.kernel @row_mean(
// CHECK-SAME: [[X:%[^:]+]]:{{.*}} [[S:%[^:]+]]:
// CHECK: [[Y:%.+]] = tloop.nest domain [4, 16] kinds ["parallel", "reduction"] ins([[X]] : tensor<4x16xf32>) maps [#map] combine ["add"] init [0.000000e+00] body {
// CHECK: ^bb0([[ACC:%.+]]: f32):
// CHECK: tloop.yield [[ACC]] : f32
// CHECK: } finish ins([[S]] : tensor<4xf32>) maps [#map1] {
// CHECK: ^bb0([[ACC]]: f32, [[B:%.+]]: f32):
// CHECK: [[Q:%.+]] = arith.divf [[ACC]], [[B]] : f32
// CHECK: tloop.yield [[Q]] : f32
// CHECK: } writes [#map1] -> tensor<4xf32>
// CHECK: tloop.return [[Y]] : tensor<4xf32>
tloop.kernel @row_mean(%x: tensor<4x16xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  %y = tloop.nest domain [4, 16] kinds ["parallel", "reduction"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] combine ["add"] init [0.000000e+00] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } finish ins(%s : tensor<4xf32>) maps [affine_map<(d0, d1) -> (d0)>] {
  ^bb0(%acc: f32, %b: f32):
    %q = arith.divf %acc, %b : f32
    tloop.yield %q : f32
  } writes [affine_map<(d0, d1) -> (d0)>] -> tensor<4xf32>
  tloop.return %y : tensor<4xf32>
}

// CHECK-LABEL: tloop.kernel @window_max(
// CHECK-SAME: [[X:%[^:]+]]:
// CHECK: [[Y:%.+]] = tloop.nest domain [8, 3] kinds ["parallel", "reduction"] ins([[X]] : tensor<8xf32>) maps [#map2] pads [-1.000000e+30] combine ["max"] init [-1.000000e+30] body {
// CHECK: ^bb0([[A:%.+]]: f32):
// CHECK: tloop.yield [[A]] : f32
// CHECK: } writes [#map1] -> tensor<8xf32>
// CHECK: tloop.return [[Y]] : tensor<8xf32>
tloop.kernel @window_max(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = tloop.nest domain [8, 3] kinds ["parallel", "reduction"] ins(%x : tensor<8xf32>) maps [affine_map<(d0, d1) -> (d0 + d1 - 1)>] pads [-1.000000e+30] combine ["max"] init [-1.000000e+30] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } writes [affine_map<(d0, d1) -> (d0)>] -> tensor<8xf32>
  tloop.return %y : tensor<8xf32>
}

// CHECK-LABEL: tloop.kernel @iota(
// CHECK: [[Y:%.+]] = tloop.nest domain [8] kinds ["parallel"] body {
// CHECK: [[I:%.+]] = tloop.index 0 : i64
// CHECK: tloop.yield [[I]] : i64
// CHECK: } writes [#map3] -> tensor<8xi64>
// CHECK: tloop.return [[Y]] : tensor<8xi64>
tloop.kernel @iota() -> tensor<8xi64> {
  %y = tloop.nest domain [8] kinds ["parallel"] body {
    %i = tloop.index 0 : i64
    tloop.yield %i : i64
  } writes [affine_map<(d0) -> (d0)>] -> tensor<8xi64>
  tloop.return %y : tensor<8xi64>
}

// CHECK-LABEL: tloop.kernel @sum_and_max(
// CHECK-SAME: [[X:%[^:]+]]:
// CHECK: [[S:%[^:]+]]:2 = tloop.nest domain [4, 16] kinds ["parallel", "reduction"] ins([[X]] : tensor<4x16xf32>) maps [#map] combine ["add", "max"] init [0.000000e+00, -1.000000e+30] body {
// CHECK: ^bb0([[A:%.+]]: f32):
// CHECK: tloop.yield [[A]], [[A]] : f32, f32
// CHECK: } writes [#map1, #map1] -> tensor<4xf32>, tensor<4xf32>
// CHECK: tloop.return [[S]]#0, [[S]]#1 : tensor<4xf32>, tensor<4xf32>
tloop.kernel @sum_and_max(%x: tensor<4x16xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %s, %m = tloop.nest domain [4, 16] kinds ["parallel", "reduction"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] combine ["add", "max"] init [0.000000e+00, -1.000000e+30] body {
  ^bb0(%a: f32):
    tloop.yield %a, %a : f32, f32
  } writes [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>] -> tensor<4xf32>, tensor<4xf32>
  tloop.return %s, %m : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: tloop.kernel @part(
// CHECK-SAME: [[X:%[^:]+]]:{{.*}} [[WHOLE:%[^:]+]]:
// CHECK: [[Y:%.+]] = tloop.nest domain [4, 8] kinds ["parallel", "parallel"] ins([[X]] : tensor<4x8xf32>) maps [#map] body {
// CHECK: ^bb0([[A:%.+]]: f32):
// CHECK: tloop.yield [[A]] : f32
// CHECK: } outs([[WHOLE]] : tensor<4x16xf32>) writes [#map4] -> tensor<4x16xf32>
// CHECK: tloop.return [[Y]] : tensor<4x16xf32>
tloop.kernel @part(%x: tensor<4x8xf32>, %whole: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %y = tloop.nest domain [4, 8] kinds ["parallel", "parallel"] ins(%x : tensor<4x8xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } outs(%whole : tensor<4x16xf32>) writes [affine_map<(d0, d1) -> (d0, d1 + 8)>] -> tensor<4x16xf32>
  tloop.return %y : tensor<4x16xf32>
}

// CHECK-LABEL: tloop.kernel @on_buffers(
// CHECK-SAME: [[X:%[^:]+]]:{{.*}} [[Y:%[^:]+]]:
// CHECK: tloop.nest domain [4, 8] kinds ["parallel", "parallel"] ins([[X]] : memref<4x8xf32>) maps [#map] body {
// CHECK: ^bb0([[A:%.+]]: f32):
// CHECK: tloop.yield [[A]] : f32
// CHECK: } outs([[Y]] : memref<4x8xf32>) writes [#map]
// CHECK: tloop.return
tloop.kernel @on_buffers(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  tloop.nest domain [4, 8] kinds ["parallel", "parallel"] ins(%x : memref<4x8xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } outs(%y : memref<4x8xf32>) writes [affine_map<(d0, d1) -> (d0, d1)>]
  tloop.return
}
