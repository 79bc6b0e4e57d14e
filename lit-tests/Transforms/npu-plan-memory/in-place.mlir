// RUN: sinter-opt %s --npu-plan-memory --npu-verify-plan --split-input-file | FileCheck %s

// An output takes over its input's memory where the kernel allows it and nobody needs the input later.

// CHECK-LABEL: npu.program @allowed
// CHECK-SAME: arena_bytes = 64
// CHECK: npu.view offset 0
// CHECK: npu.view offset 0
npu.kernel @k(%b: index, %x: memref<16xf32>, %y: memref<16xf32>) core(vector)
    attributes {inputs = 1 : i64, in_place = array<i64: 0, 1>} {
  npu.return
}
npu.program @allowed(%x: memref<16xf32>) -> memref<16xf32> {
  %a = npu.buffer : memref<16xf32>
  %b = npu.buffer : memref<16xf32>
  %y = npu.buffer : memref<16xf32>
  npu.launch @k blocks(1) (%x, %a : memref<16xf32>, memref<16xf32>)
  npu.barrier
  npu.launch @k blocks(1) (%a, %b : memref<16xf32>, memref<16xf32>)
  npu.barrier
  npu.launch @k blocks(1) (%b, %y : memref<16xf32>, memref<16xf32>)
  npu.return %y : memref<16xf32>
}

// -----

// CHECK-LABEL: npu.program @needed_later
// CHECK-SAME: arena_bytes = 128
npu.kernel @k(%b: index, %x: memref<16xf32>, %y: memref<16xf32>) core(vector)
    attributes {inputs = 1 : i64, in_place = array<i64: 0, 1>} {
  npu.return
}
npu.kernel @add(%b: index, %x: memref<16xf32>, %z: memref<16xf32>, %y: memref<16xf32>) core(vector)
    attributes {inputs = 2 : i64} {
  npu.return
}
npu.program @needed_later(%x: memref<16xf32>) -> memref<16xf32> {
  %a = npu.buffer : memref<16xf32>
  %b = npu.buffer : memref<16xf32>
  %y = npu.buffer : memref<16xf32>
  npu.launch @k blocks(1) (%x, %a : memref<16xf32>, memref<16xf32>)
  npu.barrier
  npu.launch @k blocks(1) (%a, %b : memref<16xf32>, memref<16xf32>)
  npu.barrier
  npu.launch @add blocks(1) (%a, %b, %y : memref<16xf32>, memref<16xf32>, memref<16xf32>)
  npu.return %y : memref<16xf32>
}

// -----

// Another launch of the phase reads the input.

// CHECK-LABEL: npu.program @read_beside
// CHECK-SAME: arena_bytes = 192
npu.kernel @k(%b: index, %x: memref<16xf32>, %y: memref<16xf32>) core(vector)
    attributes {inputs = 1 : i64, in_place = array<i64: 0, 1>} {
  npu.return
}
npu.program @read_beside(%x: memref<16xf32>) -> memref<16xf32> {
  %a = npu.buffer : memref<16xf32>
  %b = npu.buffer : memref<16xf32>
  %c = npu.buffer : memref<16xf32>
  %y = npu.buffer : memref<16xf32>
  npu.launch @k blocks(1) (%x, %a : memref<16xf32>, memref<16xf32>)
  npu.barrier
  npu.launch @k blocks(1) (%a, %b : memref<16xf32>, memref<16xf32>)
  npu.launch @k blocks(1) (%a, %c : memref<16xf32>, memref<16xf32>)
  npu.barrier
  npu.launch @k blocks(1) (%b, %y : memref<16xf32>, memref<16xf32>)
  npu.return %y : memref<16xf32>
}
