// RUN: sinter-opt %s --tloop-schedule=device=ascend-910b --convert-tloop-to-npu=device=ascend-910b | FileCheck %s

// On a device with scratchpads the operand is copied to a tile, and the result's tile back. Waits come later.

// CHECK-LABEL: npu.kernel @abs
// CHECK-SAME: (%{{.+}}: index, [[X:%.+]]: memref<4x16xf32>, [[Y:%.+]]: memref<4x16xf32>) core(vector)
// CHECK-DAG: [[T:%.+]] = npu.alloc : memref<4x16xf32, #npu.space<ub>>
// CHECK-DAG: [[U:%.+]] = npu.alloc : memref<4x16xf32, #npu.space<ub>>
// CHECK: npu.copy [[X]][0, 0], [[T]][0, 0] sizes [4, 16] engine(mte2)
// CHECK-NOT: npu.wait
// CHECK: npu.compute engine(vector)
// CHECK: math.absf
// CHECK: npu.copy [[U]][0, 0], [[Y]][0, 0] sizes [4, 16] engine(mte3)
// CHECK-NEXT: npu.return
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
