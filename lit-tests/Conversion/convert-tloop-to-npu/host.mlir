// RUN: sinter-opt %s --tloop-schedule --convert-tloop-to-npu | FileCheck %s

// On the host a kernel is one compute region on device memory, without tiles and transfers.

// CHECK-LABEL: npu.kernel @abs
// CHECK-SAME: (%{{.+}}: index, [[X:%.+]]: memref<4x16xf32>, [[Y:%.+]]: memref<4x16xf32>) core(vector)
// CHECK-SAME: inputs = 1 : i64, outputs = 1 : i64
// CHECK-NOT: npu.alloc
// CHECK-NOT: npu.copy
// CHECK: npu.compute engine(vector)
// CHECK-DAG: [[XF:%.+]] = memref.collapse_shape [[X]]
// CHECK-DAG: [[YF:%.+]] = memref.collapse_shape [[Y]]
// CHECK: [[V:%.+]] = vector.load [[XF]]
// CHECK: [[A:%.+]] = math.absf [[V]] : vector<8xf32>
// CHECK: vector.store [[A]], [[YF]]
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
