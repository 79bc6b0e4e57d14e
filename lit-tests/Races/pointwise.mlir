// REQUIRES: sinter
// RUN: %python %S/../Inputs/delete_waits.py %s %t | FileCheck %s

// Two loads, a region that needs both, a store.

// CHECK: 3 waits deleted, 0 missed
npu.kernel @scale(%block: index, %x: memref<4x16xf32>, %s: memref<16xf32>, %y: memref<4x16xf32>) core(vector)
    attributes {inputs = 2 : i64, outputs = 1 : i64, scratch = {ub = 192 : i64}} {
  %t = npu.alloc offset 0 : memref<16xf32, #npu.space<ub>>
  %f = npu.alloc offset 64 : memref<16xf32, #npu.space<ub>>
  %u = npu.alloc offset 128 : memref<16xf32, #npu.space<ub>>
  %in = npu.copy %x[%block, 0], %t[0] sizes [16] engine(mte2) : memref<4x16xf32>, memref<16xf32, #npu.space<ub>>
  %factor = npu.copy %s[0], %f[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
  npu.wait %in, %factor
  npu.compute engine(vector) {
    %c0 = arith.constant 0 : index
    %a = vector.load %t[%c0] : memref<16xf32, #npu.space<ub>>, vector<16xf32>
    %b = vector.load %f[%c0] : memref<16xf32, #npu.space<ub>>, vector<16xf32>
    %p = arith.mulf %a, %b : vector<16xf32>
    vector.store %p, %u[%c0] : memref<16xf32, #npu.space<ub>>, vector<16xf32>
  }
  %out = npu.copy %u[0], %y[%block, 0] sizes [16] engine(mte3) : memref<16xf32, #npu.space<ub>>, memref<4x16xf32>
  npu.wait %out
  npu.return
}
npu.program @main(%x: memref<64xf32> {graph.name = "x"}, %s: memref<16xf32> {graph.name = "s"})
    -> (memref<64xf32> {graph.name = "y"}) attributes {arena_bytes = 0 : i64} {
  %y = npu.buffer : memref<64xf32>
  npu.launch @scale blocks(4) (%x, %s, %y : memref<64xf32>, memref<16xf32>, memref<64xf32>)
  npu.return %y : memref<64xf32>
}
