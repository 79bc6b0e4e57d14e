// REQUIRES: sinter
// RUN: %python %S/../Inputs/delete_waits.py %s %t | FileCheck %s

// One tile for all chunks: the loop carries the store's token, and the next load waits for it.

// CHECK: 3 waits deleted, 0 missed
npu.kernel @negate(%block: index, %x: memref<4x16xf32>, %y: memref<4x16xf32>) core(vector)
    attributes {inputs = 1 : i64, outputs = 1 : i64, scratch = {ub = 64 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = npu.alloc offset 0 : memref<16xf32, #npu.space<ub>>
  %none = npu.ready
  %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%before = %none) -> (!npu.token) {
    npu.wait %before
    %in = npu.copy %x[%i, 0], %t[0] sizes [16] engine(mte2) : memref<4x16xf32>, memref<16xf32, #npu.space<ub>>
    npu.wait %in
    npu.compute engine(vector) {
      %v = vector.load %t[%c0] : memref<16xf32, #npu.space<ub>>, vector<16xf32>
      %n = arith.negf %v : vector<16xf32>
      vector.store %n, %t[%c0] : memref<16xf32, #npu.space<ub>>, vector<16xf32>
    }
    %out = npu.copy %t[0], %y[%i, 0] sizes [16] engine(mte3) : memref<16xf32, #npu.space<ub>>, memref<4x16xf32>
    scf.yield %out : !npu.token
  }
  npu.wait %last
  npu.return
}
npu.program @main(%x: memref<64xf32> {graph.name = "x"}) -> (memref<64xf32> {graph.name = "y"})
    attributes {arena_bytes = 0 : i64} {
  %y = npu.buffer : memref<64xf32>
  npu.launch @negate blocks(1) (%x, %y : memref<64xf32>, memref<64xf32>)
  npu.return %y : memref<64xf32>
}
