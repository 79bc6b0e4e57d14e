// RUN: sinter-opt %s --npu-check-races --split-input-file --verify-diagnostics

// What one round leaves under way, the next may not touch.

npu.kernel @round(%b: index, %x: memref<4x16xf32>, %y: memref<4x16xf32>) core(vector) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  %none = npu.ready
  %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%before = %none) -> (!npu.token) {
    // expected-error @below {{'npu.copy' touches memory of a transfer that may be under way}}
    %in = npu.copy %x[%i, 0], %t[0] sizes [16] engine(mte2) : memref<4x16xf32>, memref<16xf32, #npu.space<ub>>
    npu.wait %in
    npu.wait %before
    %out = npu.copy %t[0], %y[%i, 0] sizes [16] engine(mte3) : memref<16xf32, #npu.space<ub>>, memref<4x16xf32>
    scf.yield %out : !npu.token
  }
  npu.wait %last
  npu.return
}

// -----

// The loop's last transfer is still under way after it.

npu.kernel @after(%b: index, %x: memref<4x16xf32>) core(vector) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  %none = npu.ready
  %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%before = %none) -> (!npu.token) {
    npu.wait %before
    %in = npu.copy %x[%i, 0], %t[0] sizes [16] engine(mte2) : memref<4x16xf32>, memref<16xf32, #npu.space<ub>>
    scf.yield %in : !npu.token
  }
  // expected-error @below {{'npu.compute' touches memory of a transfer that may be under way}}
  npu.compute engine(vector) {
    %v = memref.load %t[%c0] : memref<16xf32, #npu.space<ub>>
  }
  npu.wait %last
  npu.return
}
