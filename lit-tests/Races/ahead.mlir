// REQUIRES: sinter
// RUN: %python %S/../Inputs/delete_waits.py %s %t | FileCheck %s

// Loads one chunk ahead, into two tiles in turn: the loop carries both tokens.

// CHECK: 4 waits deleted, 0 missed
npu.kernel @sum(%block: index, %x: memref<6x16xf32>, %y: memref<16xf32>) core(vector)
    attributes {inputs = 1 : i64, outputs = 1 : i64, scratch = {ub = 192 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %t = npu.alloc offset 0 : memref<16xf32, #npu.space<ub>>
  %u = npu.alloc offset 64 : memref<16xf32, #npu.space<ub>>
  %s = npu.alloc offset 128 : memref<16xf32, #npu.space<ub>>
  npu.compute engine(vector) {
    %zero = arith.constant dense<0.0> : vector<16xf32>
    vector.store %zero, %s[%c0] : memref<16xf32, #npu.space<ub>>, vector<16xf32>
  }
  %first = npu.copy %x[%c0, 0], %t[0] sizes [16] engine(mte2) : memref<6x16xf32>, memref<16xf32, #npu.space<ub>>
  %last = scf.for %i = %c0 to %c4 step %c2 iter_args(%even = %first) -> (!npu.token) {
    %i1 = arith.addi %i, %c1 : index
    %i2 = arith.addi %i, %c2 : index
    %odd = npu.copy %x[%i1, 0], %u[0] sizes [16] engine(mte2) : memref<6x16xf32>, memref<16xf32, #npu.space<ub>>
    npu.wait %even
    npu.compute engine(vector) {
      %a = vector.load %t[%c0] : memref<16xf32, #npu.space<ub>>, vector<16xf32>
      %b = vector.load %s[%c0] : memref<16xf32, #npu.space<ub>>, vector<16xf32>
      %p = arith.addf %a, %b : vector<16xf32>
      vector.store %p, %s[%c0] : memref<16xf32, #npu.space<ub>>, vector<16xf32>
    }
    %next = npu.copy %x[%i2, 0], %t[0] sizes [16] engine(mte2) : memref<6x16xf32>, memref<16xf32, #npu.space<ub>>
    npu.wait %odd
    npu.compute engine(vector) {
      %a = vector.load %u[%c0] : memref<16xf32, #npu.space<ub>>, vector<16xf32>
      %b = vector.load %s[%c0] : memref<16xf32, #npu.space<ub>>, vector<16xf32>
      %p = arith.subf %a, %b : vector<16xf32>
      vector.store %p, %s[%c0] : memref<16xf32, #npu.space<ub>>, vector<16xf32>
    }
    scf.yield %next : !npu.token
  }
  npu.wait %last
  npu.compute engine(vector) {
    %a = vector.load %t[%c0] : memref<16xf32, #npu.space<ub>>, vector<16xf32>
    %b = vector.load %s[%c0] : memref<16xf32, #npu.space<ub>>, vector<16xf32>
    %p = arith.addf %a, %b : vector<16xf32>
    vector.store %p, %s[%c0] : memref<16xf32, #npu.space<ub>>, vector<16xf32>
  }
  %out = npu.copy %s[0], %y[0] sizes [16] engine(mte3) : memref<16xf32, #npu.space<ub>>, memref<16xf32>
  npu.wait %out
  npu.return
}
npu.program @main(%x: memref<96xf32> {graph.name = "x"}) -> (memref<16xf32> {graph.name = "y"})
    attributes {arena_bytes = 0 : i64} {
  %y = npu.buffer : memref<16xf32>
  npu.launch @sum blocks(1) (%x, %y : memref<96xf32>, memref<16xf32>)
  npu.return %y : memref<16xf32>
}
