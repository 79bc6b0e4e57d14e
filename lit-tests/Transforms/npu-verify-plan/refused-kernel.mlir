// RUN: sinter-opt %s --npu-verify-plan=device=ascend-910b --split-input-file --verify-diagnostics

npu.kernel @unplaced(%b: index) core(vector) {
  // expected-error @below {{has no place: run npu-plan-memory}}
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  npu.return
}

// -----

npu.kernel @outside(%b: index) core(vector) {
  // expected-error @below {{lies at 196608..196672 of ub, which has 196608 bytes}}
  %t = npu.alloc offset 196608 : memref<16xf32, #npu.space<ub>>
  npu.return
}

// -----

npu.kernel @stated(%b: index) core(vector) attributes {scratch = {ub = 64 : i64}} {
  // expected-error @below {{lies at 64..128 of ub, of which the kernel states 64 bytes}}
  %t = npu.alloc offset 64 : memref<16xf32, #npu.space<ub>>
  npu.return
}

// -----

npu.kernel @overlap(%b: index, %x: memref<16xf32>) core(vector) {
  // expected-error @below {{lies at 0..64 of ub, where another tile at 32..96 is live at the same time}}
  %t = npu.alloc offset 0 : memref<16xf32, #npu.space<ub>>
  %u = npu.alloc offset 32 : memref<16xf32, #npu.space<ub>>
  %a = npu.copy %x[0], %t[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
  %c = npu.copy %x[0], %u[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
  npu.wait %a
  npu.wait %c
  npu.return
}
