// RUN: sinter-opt %s --npu-check-races --split-input-file --verify-diagnostics

// Nobody may write the source of a transfer that is under way.

npu.kernel @compute(%b: index, %y: memref<16xf32>) core(vector) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  %out = npu.copy %t[0], %y[0] sizes [16] engine(mte3) : memref<16xf32, #npu.space<ub>>, memref<16xf32>
  // expected-error @below {{'npu.compute' touches memory of a transfer that may be under way}}
  npu.compute engine(vector) {
    memref.store %one, %t[%c0] : memref<16xf32, #npu.space<ub>>
  }
  npu.wait %out
  npu.return
}

// -----

npu.kernel @reload(%b: index, %x: memref<16xf32>, %y: memref<16xf32>) core(vector) {
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  %out = npu.copy %t[0], %y[0] sizes [16] engine(mte3) : memref<16xf32, #npu.space<ub>>, memref<16xf32>
  // expected-error @below {{'npu.copy' touches memory of a transfer that may be under way}}
  %in = npu.copy %x[0], %t[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
  npu.wait %out, %in
  npu.return
}

// -----

// To give the tile back counts as writing it.

npu.kernel @release(%b: index, %y: memref<16xf32>) core(vector) {
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  %out = npu.copy %t[0], %y[0] sizes [16] engine(mte3) : memref<16xf32, #npu.space<ub>>, memref<16xf32>
  // expected-error @below {{'npu.release' touches memory of a transfer that may be under way}}
  npu.release %t : memref<16xf32, #npu.space<ub>>
  npu.wait %out
  npu.return
}
