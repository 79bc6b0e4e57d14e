// RUN: sinter-opt %s | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --mlir-print-op-generic | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --emit-bytecode | sinter-opt | FileCheck %s

// Kernels, launches and calls.

// CHECK-LABEL: tloop.kernel @relu(
// CHECK-SAME: [[X:%[^:]+]]:
// CHECK: [[Y:%.+]] = tloop.nest domain [4, 16] kinds ["parallel", "parallel"] ins([[X]] : tensor<4x16xf32>) maps [#map] body {
// CHECK: ^bb0([[A:%.+]]: f32):
// CHECK: [[C:%.+]] = arith.constant 0.000000e+00 : f32
// CHECK: [[M:%.+]] = arith.maximumf [[A]], [[C]] : f32
// CHECK: tloop.yield [[M]] : f32
// CHECK: } writes [#map] -> tensor<4x16xf32>
// CHECK: tloop.return [[Y]] : tensor<4x16xf32>
tloop.kernel @relu(%x: tensor<4x16xf32>) -> tensor<4x16xf32> attributes {layouts = [unit, #tloop.layout<(d0, d1) -> (d1, d0)>], roles = ["input"]} {
  %y = tloop.nest domain [4, 16] kinds ["parallel", "parallel"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] body {
  ^bb0(%a: f32):
    %c = arith.constant 0.000000e+00 : f32
    %m = arith.maximumf %a, %c : f32
    tloop.yield %m : f32
  } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4x16xf32>
  tloop.return %y : tensor<4x16xf32>
}

// CHECK-LABEL: tloop.kernel private @nothing(
// CHECK: tloop.return
tloop.kernel private @nothing() {
  tloop.return
}

// CHECK-LABEL: tloop.kernel @twice(
// CHECK-SAME: [[X:%[^:]+]]:
// CHECK: [[Y:%.+]] = tloop.call @relu([[X]]) : (tensor<4x16xf32>) -> tensor<4x16xf32>
// CHECK: tloop.return [[Y]] : tensor<4x16xf32>
tloop.kernel @twice(%x: tensor<4x16xf32>) -> tensor<4x16xf32> attributes {roles = ["input"]} {
  %y = tloop.call @relu(%x) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  tloop.return %y : tensor<4x16xf32>
}

// CHECK-LABEL: func.func @main(
// CHECK-SAME: [[X:%[^:]+]]:
// CHECK: [[R0:%.+]] = tloop.launch @relu([[X]]) : (tensor<4x16xf32>) -> tensor<4x16xf32>
// CHECK: return [[R0]] : tensor<4x16xf32>
func.func @main(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = tloop.launch @relu(%x) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}
