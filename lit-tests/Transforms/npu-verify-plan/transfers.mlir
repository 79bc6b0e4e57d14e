// RUN: sinter-opt %s --npu-verify-plan=device=ascend-910b --split-input-file --verify-diagnostics

// A tile is in use until the transfer has been waited for, also where a loop carries its token.

npu.kernel @carried(%b: index, %x: memref<16xf32>, %y: memref<16xf32>) core(vector) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @below {{lies at 0..64 of ub, where another tile at 0..64 is live at the same time}}
  %t = npu.alloc offset 0 : memref<16xf32, #npu.space<ub>>
  %u = npu.alloc offset 0 : memref<16xf32, #npu.space<ub>>
  %none = npu.ready
  %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%before = %none) -> (!npu.token) {
    npu.wait %before
    %a = npu.copy %x[0], %t[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
    scf.yield %a : !npu.token
  }
  %o = npu.copy %u[0], %y[0] sizes [16] engine(mte3) : memref<16xf32, #npu.space<ub>>, memref<16xf32>
  npu.wait %o
  npu.wait %last
  npu.return
}

// -----

// One after the other they may share their bytes.

npu.kernel @in_turn(%b: index, %x: memref<16xf32>, %y: memref<16xf32>) core(vector) {
  %t = npu.alloc offset 0 : memref<16xf32, #npu.space<ub>>
  %u = npu.alloc offset 0 : memref<16xf32, #npu.space<ub>>
  %a = npu.copy %x[0], %t[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
  npu.wait %a
  %c = npu.copy %x[0], %u[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
  npu.wait %c
  npu.return
}
