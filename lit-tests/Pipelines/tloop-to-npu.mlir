// RUN: sinter-opt %s --tloop-schedule --sinter-tloop-to-npu | FileCheck %s --check-prefixes=CHECK,HOST
// RUN: sinter-opt %s --tloop-schedule=device=ascend-910b --sinter-tloop-to-npu=device=ascend-910b | FileCheck %s --check-prefixes=CHECK,PAD

// A planned program; on a device with scratchpads with waits, and tiles in their places.

// CHECK-LABEL: npu.kernel @abs
// HOST-NOT: npu.copy
// PAD-SAME: scratch = {ub = {{[0-9]+}} : i64}
// PAD-COUNT-2: npu.alloc offset
// PAD: [[IN:%.+]] = npu.copy {{.+}} engine(mte2)
// PAD-NEXT: npu.wait [[IN]]
// PAD-NEXT: npu.compute
// PAD: [[OUT:%.+]] = npu.copy {{.+}} engine(mte3)
// PAD-NEXT: npu.wait [[OUT]]
// CHECK-LABEL: npu.program @main
// CHECK-SAME: arena_bytes = 0
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
func.func @main(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %y = tloop.launch @abs(%x) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}
