// RUN: sinter-opt %s --npu-verify-plan | FileCheck %s

// A good plan is left as it is: buffers share bytes one after the other, or in place where the kernel
// allows it, and parts of one buffer are written at the same time.

// CHECK: npu.program @main
// CHECK: npu.view offset 0
npu.kernel @k(%b: index, %x: memref<16xf32>, %y: memref<16xf32>) core(vector)
    attributes {inputs = 1 : i64, in_place = array<i64: 0, 1>} {
  npu.return
}
npu.kernel @part(%b: index, %x: memref<16xf32>, %y: memref<16xf32>) core(vector) attributes {inputs = 1 : i64} {
  npu.return
}
npu.program @main(%x: memref<16xf32>) -> memref<16xf32> attributes {arena_bytes = 128 : i64} {
  %a = npu.view offset 0 : memref<16xf32>
  %b = npu.view offset 64 : memref<16xf32>
  %c = npu.view offset 64 : memref<16xf32>
  %y = npu.buffer : memref<16xf32>
  npu.launch @part blocks(1) (%x, %a : memref<16xf32>, memref<16xf32>)
  npu.launch @part blocks(1) (%x, %a : memref<16xf32>, memref<16xf32>)
  npu.barrier
  npu.launch @k blocks(1) (%a, %b : memref<16xf32>, memref<16xf32>)
  npu.barrier
  npu.launch @k blocks(1) (%b, %c : memref<16xf32>, memref<16xf32>)
  npu.barrier
  npu.launch @k blocks(1) (%c, %y : memref<16xf32>, memref<16xf32>)
  npu.return %y : memref<16xf32>
}
