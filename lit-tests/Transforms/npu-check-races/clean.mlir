// RUN: sinter-opt %s --npu-check-races | FileCheck %s

// Kernels that wait in time are left as they are; reading a source that is on its way is no race.

// CHECK-LABEL: npu.kernel @clean
// CHECK: npu.wait
npu.kernel @clean(%b: index, %x: memref<16xf32>, %y: memref<16xf32>) core(vector) {
  %c0 = arith.constant 0 : index
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  %in = npu.copy %x[0], %t[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
  npu.wait %in
  %out = npu.copy %t[0], %y[0] sizes [16] engine(mte3) : memref<16xf32, #npu.space<ub>>, memref<16xf32>
  npu.compute engine(vector) {
    %v = memref.load %t[%c0] : memref<16xf32, #npu.space<ub>>
  }
  npu.wait %out
  npu.return
}

// One chunk ahead, in two tiles: each is waited for before it is used.

// CHECK-LABEL: npu.kernel @ahead
// CHECK: iter_args
npu.kernel @ahead(%b: index, %x: memref<4x16xf32>, %y: memref<16xf32>) core(vector) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  %first = npu.copy %x[%c0, 0], %t[0] sizes [16] engine(mte2) : memref<4x16xf32>, memref<16xf32, #npu.space<ub>>
  %last = scf.for %i = %c1 to %c4 step %c1 iter_args(%before = %first) -> (!npu.token) {
    npu.wait %before
    npu.compute engine(vector) {
      %v = memref.load %t[%c0] : memref<16xf32, #npu.space<ub>>
    }
    %next = npu.copy %x[%i, 0], %t[0] sizes [16] engine(mte2) : memref<4x16xf32>, memref<16xf32, #npu.space<ub>>
    scf.yield %next : !npu.token
  }
  npu.wait %last
  npu.return
}
