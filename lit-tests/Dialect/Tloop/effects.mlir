// RUN: sinter-opt %s --canonicalize --cse | FileCheck %s

// On tensors nothing has an effect; on buffers a nest writes, and reads are not shared across it.

// CHECK-LABEL: tloop.kernel @unused_nest(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: tloop.return
tloop.kernel @unused_nest(%x: tensor<4xf32>) {
  %y = tloop.nest domain [4] kinds ["parallel"] ins(%x : tensor<4xf32>) maps [affine_map<(d0) -> (d0)>] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } writes [affine_map<(d0) -> (d0)>] -> tensor<4xf32>
  tloop.return
}

// CHECK-LABEL: tloop.kernel @equal_nests(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: [[R0:%.+]] = tloop.nest domain [4] kinds ["parallel"] ins([[A0]] : tensor<4xf32>) maps [#map] body {
// CHECK-NEXT: ^bb0([[ARG1:%.+]]: f32):
// CHECK-NEXT: tloop.yield [[ARG1]] : f32
// CHECK-NEXT: } writes [#map] -> tensor<4xf32>
// CHECK-NEXT: tloop.return [[R0]], [[R0]] : tensor<4xf32>, tensor<4xf32>
tloop.kernel @equal_nests(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = tloop.nest domain [4] kinds ["parallel"] ins(%x : tensor<4xf32>) maps [affine_map<(d0) -> (d0)>] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } writes [affine_map<(d0) -> (d0)>] -> tensor<4xf32>
  %z = tloop.nest domain [4] kinds ["parallel"] ins(%x : tensor<4xf32>) maps [affine_map<(d0) -> (d0)>] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } writes [affine_map<(d0) -> (d0)>] -> tensor<4xf32>
  tloop.return %y, %z : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: tloop.kernel @on_buffers(
// CHECK-SAME: [[A0:%[^:]+]]:{{.*}} [[A1:%[^:]+]]:
// CHECK-NEXT: tloop.nest domain [4] kinds ["parallel"] ins([[A0]] : memref<4xf32>) maps [#map] body {
// CHECK-NEXT: ^bb0([[ARG2:%.+]]: f32):
// CHECK-NEXT: tloop.yield [[ARG2]] : f32
// CHECK-NEXT: } outs([[A1]] : memref<4xf32>) writes [#map]
// CHECK-NEXT: tloop.return
tloop.kernel @on_buffers(%x: memref<4xf32>, %y: memref<4xf32>) {
  tloop.nest domain [4] kinds ["parallel"] ins(%x : memref<4xf32>) maps [affine_map<(d0) -> (d0)>] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } outs(%y : memref<4xf32>) writes [affine_map<(d0) -> (d0)>]
  tloop.return
}

// CHECK-LABEL: func.func @reads(
// CHECK-SAME: [[A0:%[^:]+]]:{{.*}} [[A1:%[^:]+]]:
// CHECK-NEXT: [[R0:%.+]] = tloop.read [[A0]][[[A1]]] : memref<4xf32> -> f32
// CHECK-NEXT: return [[R0]], [[R0]] : f32, f32
func.func @reads(%x: memref<4xf32>, %i: index) -> (f32, f32) {
  %a = tloop.read %x[%i] : memref<4xf32> -> f32
  %b = tloop.read %x[%i] : memref<4xf32> -> f32
  return %a, %b : f32, f32
}

// CHECK-LABEL: func.func @unused_launch(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: return
func.func @unused_launch(%x: tensor<4xf32>) {
  %0 = tloop.launch @unused(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: tloop.kernel @unused(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: tloop.return [[A0]] : tensor<4xf32>
tloop.kernel @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  tloop.return %x : tensor<4xf32>
}
