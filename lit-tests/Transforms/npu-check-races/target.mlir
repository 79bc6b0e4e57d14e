// RUN: sinter-opt %s --npu-check-races --split-input-file --verify-diagnostics

// Nobody may read the target of a transfer that is under way.

npu.kernel @read(%b: index, %x: memref<16xf32>) core(vector) {
  %c0 = arith.constant 0 : index
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  %in = npu.copy %x[0], %t[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
  // expected-error @below {{'npu.compute' touches memory of a transfer that may be under way}}
  npu.compute engine(vector) {
    %v = memref.load %t[%c0] : memref<16xf32, #npu.space<ub>>
  }
  npu.wait %in
  npu.return
}

// -----

// A view of the tile is the tile.

npu.kernel @view(%b: index, %x: memref<4x4xf32>) core(vector) {
  %c0 = arith.constant 0 : index
  %t = npu.alloc : memref<4x4xf32, #npu.space<ub>>
  %in = npu.copy %x[0, 0], %t[0, 0] sizes [4, 4] engine(mte2) : memref<4x4xf32>, memref<4x4xf32, #npu.space<ub>>
  // expected-error @below {{'npu.compute' touches memory of a transfer that may be under way}}
  npu.compute engine(vector) {
    %flat = memref.collapse_shape %t [[0, 1]] : memref<4x4xf32, #npu.space<ub>> into memref<16xf32, #npu.space<ub>>
    %v = memref.load %flat[%c0] : memref<16xf32, #npu.space<ub>>
  }
  npu.wait %in
  npu.return
}

// -----

// Another transfer may not read it either.

npu.kernel @forward(%b: index, %x: memref<16xf32>, %y: memref<16xf32>) core(vector) {
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  %in = npu.copy %x[0], %t[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
  // expected-error @below {{'npu.copy' touches memory of a transfer that may be under way}}
  %out = npu.copy %t[0], %y[0] sizes [16] engine(mte3) : memref<16xf32, #npu.space<ub>>, memref<16xf32>
  npu.wait %in, %out
  npu.return
}

// -----

// Waiting for one of two is not enough.

npu.kernel @other(%b: index, %x: memref<16xf32>) core(vector) {
  %c0 = arith.constant 0 : index
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  %u = npu.alloc : memref<16xf32, #npu.space<ub>>
  %in = npu.copy %x[0], %t[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
  %on = npu.copy %x[0], %u[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
  npu.wait %on
  // expected-error @below {{'npu.compute' touches memory of a transfer that may be under way}}
  npu.compute engine(vector) {
    %v = memref.load %t[%c0] : memref<16xf32, #npu.space<ub>>
  }
  npu.wait %in
  npu.return
}
