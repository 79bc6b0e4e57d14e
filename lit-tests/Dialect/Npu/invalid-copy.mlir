// RUN: sinter-opt %s --split-input-file --verify-diagnostics

// Transfers.

npu.kernel @k(%block: index, %x: memref<4x16xf32>) core(vector) {
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  // expected-error @below {{'npu.copy' op has 1 source offsets for 2 dimensions of the source}}
  %c = npu.copy %x[0], %t[0] sizes [16] engine(mte2) : memref<4x16xf32>, memref<16xf32, #npu.space<ub>>
  npu.return
}

// -----

npu.kernel @k(%block: index, %x: memref<4x16xf32>) core(vector) {
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  // expected-error @below {{'npu.copy' op has 2 sizes for 1 common dimensions}}
  %c = npu.copy %x[0, 0], %t[0] sizes [1, 16] engine(mte2) : memref<4x16xf32>, memref<16xf32, #npu.space<ub>>
  npu.return
}

// -----

npu.kernel @k(%block: index, %x: memref<4x16xf32>) core(vector) {
  %t = npu.alloc : memref<16xf16, #npu.space<ub>>
  // expected-error @below {{'npu.copy' op target element 0 is 'f16', but must be 'f32'}}
  %c = npu.copy %x[0, 0], %t[0] sizes [16] engine(mte2) : memref<4x16xf32>, memref<16xf16, #npu.space<ub>>
  npu.return
}

// -----

npu.kernel @k(%block: index, %x: memref<4x16xf32>) core(vector) {
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  // expected-error @below {{'npu.copy' op engine 'vector' moves no data}}
  %c = npu.copy %x[0, 0], %t[0] sizes [16] engine(vector) : memref<4x16xf32>, memref<16xf32, #npu.space<ub>>
  npu.return
}

// -----

npu.kernel @k(%block: index, %x: memref<4x16xf32>) core(vector) {
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  // expected-error @below {{'npu.copy' op engine 'mte3' moves from 'ub', not from 'memref<4x16xf32>'}}
  %c = npu.copy %x[0, 0], %t[0] sizes [16] engine(mte3) : memref<4x16xf32>, memref<16xf32, #npu.space<ub>>
  npu.return
}

// -----

npu.kernel @k(%block: index, %x: memref<4x16xf32>) core(vector) {
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  // expected-error @below {{'npu.copy' op engine 'mte2' moves from 'gm', not from 'memref<16xf32, #npu.space<ub>>'}}
  %c = npu.copy %t[0], %x[0, 0] sizes [16] engine(mte2) : memref<16xf32, #npu.space<ub>>, memref<4x16xf32>
  npu.return
}

// -----

npu.kernel @k(%block: index, %x: memref<4x16xf32>) core(vector) {
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  // expected-error @below {{'npu.copy' op attribute 'post_op' failed to satisfy constraint: string attribute one of relu}}
  %c = npu.copy %x[0, 0], %t[0] sizes [16] engine(mte2) post_op "gelu" : memref<4x16xf32>, memref<16xf32, #npu.space<ub>>
  npu.return
}
