// RUN: sinter-opt %s --npu-check-races --split-input-file --verify-diagnostics

// A kernel may not end before its transfers do.

npu.kernel @never(%b: index, %x: memref<16xf32>) core(vector) {
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  // expected-error @below {{transfer may still be under way when the kernel ends}}
  %in = npu.copy %x[0], %t[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
  npu.return
}

// -----

// A token that stands for no transfer ends none.

npu.kernel @ready(%b: index, %x: memref<16xf32>) core(vector) {
  %none = npu.ready
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  // expected-error @below {{transfer may still be under way when the kernel ends}}
  %in = npu.copy %x[0], %t[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
  npu.wait %none
  npu.return
}
