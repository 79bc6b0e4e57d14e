// RUN: sinter-opt %s --npu-plan-memory --npu-verify-plan | FileCheck %s

// What the planner plans, the check accepts.

// CHECK: npu.program @main
// CHECK-SAME: arena_bytes = 128
// CHECK-COUNT-2: npu.view offset
npu.kernel @k(%b: index, %x: memref<16xf32>, %y: memref<16xf32>) core(vector) attributes {inputs = 1 : i64} {
  npu.return
}
npu.program @main(%x: memref<16xf32>) -> memref<16xf32> {
  %a = npu.buffer : memref<16xf32>
  %c = npu.buffer : memref<16xf32>
  %y = npu.buffer : memref<16xf32>
  npu.launch @k blocks(1) (%x, %a : memref<16xf32>, memref<16xf32>)
  npu.barrier
  npu.launch @k blocks(1) (%a, %c : memref<16xf32>, memref<16xf32>)
  npu.barrier
  npu.launch @k blocks(1) (%c, %y : memref<16xf32>, memref<16xf32>)
  npu.return %y : memref<16xf32>
}
