// RUN: sinter-opt %s --npu-plan-memory --npu-verify-plan | FileCheck %s

// Buffers of which one is dead when the other begins share bytes; those of one phase, and those that a
// launch reads and writes, do not.

// CHECK-LABEL: npu.program @main
// CHECK-SAME: arena_bytes = 128
// CHECK: [[A:%.+]] = npu.view offset [[AT:[0-9]+]] : memref<16xf32>
// CHECK-NEXT: [[B:%.+]] = npu.view offset {{[0-9]+}} : memref<16xf32>
// CHECK-NEXT: [[C:%.+]] = npu.view offset [[AT]] : memref<16xf32>
// CHECK: npu.launch @k blocks(1) ({{%.+}}, [[A]] :
// CHECK: npu.launch @k blocks(1) ([[A]], [[B]] :
// CHECK: npu.launch @k blocks(1) ([[B]], [[C]] :
npu.kernel @k(%b: index, %x: memref<16xf32>, %y: memref<16xf32>) core(vector) attributes {inputs = 1 : i64} {
  npu.return
}
npu.program @main(%x: memref<16xf32>) -> memref<16xf32> {
  %a = npu.buffer : memref<16xf32>
  %b = npu.buffer : memref<16xf32>
  %c = npu.buffer : memref<16xf32>
  %y = npu.buffer : memref<16xf32>
  npu.launch @k blocks(1) (%x, %a : memref<16xf32>, memref<16xf32>)
  npu.barrier
  npu.launch @k blocks(1) (%a, %b : memref<16xf32>, memref<16xf32>)
  npu.barrier
  npu.launch @k blocks(1) (%b, %c : memref<16xf32>, memref<16xf32>)
  npu.barrier
  npu.launch @k blocks(1) (%c, %y : memref<16xf32>, memref<16xf32>)
  npu.return %y : memref<16xf32>
}

// CHECK-LABEL: npu.program @phase
// CHECK-SAME: arena_bytes = 192
npu.program @phase(%x: memref<16xf32>) -> memref<16xf32> {
  %a = npu.buffer : memref<16xf32>
  %b = npu.buffer : memref<16xf32>
  %c = npu.buffer : memref<16xf32>
  %y = npu.buffer : memref<16xf32>
  npu.launch @k blocks(1) (%x, %a : memref<16xf32>, memref<16xf32>)
  npu.launch @k blocks(1) (%x, %b : memref<16xf32>, memref<16xf32>)
  npu.launch @k blocks(1) (%x, %c : memref<16xf32>, memref<16xf32>)
  npu.barrier
  npu.launch @k blocks(1) (%a, %y : memref<16xf32>, memref<16xf32>)
  npu.return %y : memref<16xf32>
}
