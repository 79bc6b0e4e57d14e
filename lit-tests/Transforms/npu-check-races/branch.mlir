// RUN: sinter-opt %s --npu-check-races --split-input-file --verify-diagnostics

// A wait in one branch is no wait in the other.

npu.kernel @one_side(%b: index, %x: memref<16xf32>) core(vector) {
  %c0 = arith.constant 0 : index
  %first = arith.cmpi eq, %b, %c0 : index
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  %in = npu.copy %x[0], %t[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
  scf.if %first {
    npu.wait %in
  }
  // expected-error @below {{'npu.compute' touches memory of a transfer that may be under way}}
  npu.compute engine(vector) {
    %v = memref.load %t[%c0] : memref<16xf32, #npu.space<ub>>
  }
  npu.wait %in
  npu.return
}

// -----

// A branch's result stands for what either side yields: one wait ends both.

npu.kernel @either(%b: index, %x: memref<16xf32>) core(vector) {
  %c0 = arith.constant 0 : index
  %first = arith.cmpi eq, %b, %c0 : index
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  %in = scf.if %first -> (!npu.token) {
    %some = npu.copy %x[0], %t[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
    scf.yield %some : !npu.token
  } else {
    %none = npu.ready
    scf.yield %none : !npu.token
  }
  npu.wait %in
  npu.compute engine(vector) {
    %v = memref.load %t[%c0] : memref<16xf32, #npu.space<ub>>
  }
  npu.return
}
