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
  // expected-error @below {{'npu.copy' op has 2 sizes for 1 dimensions of the target}}
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

// -----

npu.kernel @k(%block: index, %x: memref<4x16xf32>) core(vector) {
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  // expected-error @below {{'npu.copy' op size 0 is negative}}
  %c = npu.copy %x[0, 0], %t[0] sizes [-1] engine(mte2) : memref<4x16xf32>, memref<16xf32, #npu.space<ub>>
  npu.return
}

// -----

npu.kernel @k(%block: index, %x: memref<4x16xf32>) core(vector) {
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  // expected-error @below {{'npu.copy' op reaches from 8 to 23 along dimension 1 of the source, which has 16}}
  %c = npu.copy %x[0, 8], %t[0] sizes [16] engine(mte2) : memref<4x16xf32>, memref<16xf32, #npu.space<ub>>
  npu.return
}

// -----

npu.kernel @k(%block: index, %x: memref<4x16xf32>) core(vector) {
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  // expected-error @below {{'npu.copy' op reaches from 4 to 4 along dimension 0 of the source, which has 4}}
  %c = npu.copy %x[4, 0], %t[0] sizes [16] engine(mte2) : memref<4x16xf32>, memref<16xf32, #npu.space<ub>>
  npu.return
}

// -----

npu.kernel @k(%block: index, %x: memref<4x16xf32>) core(vector) {
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  // expected-error @below {{'npu.copy' op reaches from -1 to 7 along dimension 0 of the target, which has 16}}
  %c = npu.copy %x[0, 0], %t[-1] sizes [9] engine(mte2) : memref<4x16xf32>, memref<16xf32, #npu.space<ub>>
  npu.return
}

// -----

npu.kernel @k(%block: index, %x: memref<4x16xf32>) core(vector) {
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  // expected-error @below {{'npu.copy' op has 2 dimensions of the source map for 1 sizes}}
  %c = npu.copy %x[0, 0] along affine_map<(i, j) -> (i, j)>, %t[0] sizes [16] engine(mte2) : memref<4x16xf32>, memref<16xf32, #npu.space<ub>>
  npu.return
}

// -----

npu.kernel @k(%block: index, %x: memref<4x16xf32>) core(vector) {
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  // expected-error @below {{'npu.copy' op has 1 results of the source map for 2 dimensions of the source}}
  %c = npu.copy %x[0, 0] along affine_map<(i) -> (i)>, %t[0] sizes [4] engine(mte2) : memref<4x16xf32>, memref<16xf32, #npu.space<ub>>
  npu.return
}

// -----

npu.kernel @k(%block: index, %x: memref<4x16xf32>) core(vector) {
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  // expected-error @below {{'npu.copy' op the source map has a result that is no sum of multiples of its dimensions}}
  %c = npu.copy %x[0, 0] along affine_map<(i) -> (i floordiv 4, i mod 4)>, %t[0] sizes [16] engine(mte2) : memref<4x16xf32>, memref<16xf32, #npu.space<ub>>
  npu.return
}

// -----

npu.kernel @k(%block: index, %x: memref<4x16xf32>) core(vector) {
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  // expected-error @below {{'npu.copy' op reaches from 1 to 16 along dimension 1 of the source, which has 16}}
  %c = npu.copy %x[0, 1] along affine_map<(i) -> (0, i * 3)>, %t[0] sizes [6] engine(mte2) : memref<4x16xf32>, memref<16xf32, #npu.space<ub>>
  npu.return
}

// -----

npu.kernel @k(%block: index, %x: memref<4x16xf32>) core(vector) {
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  // expected-error @below {{'npu.copy' op reaches from 0 to 18 along dimension 0 of the target, which has 16}}
  %c = npu.copy %x[0, 0] along affine_map<(i, j) -> (i, j)>, %t[0] along affine_map<(i, j) -> (i * 6 + j)> sizes [4, 1] engine(mte2) : memref<4x16xf32>, memref<16xf32, #npu.space<ub>>
  npu.return
}
