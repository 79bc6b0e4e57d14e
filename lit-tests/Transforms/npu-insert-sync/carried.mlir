// RUN: sinter-opt %s --npu-insert-sync | FileCheck %s

// Transfers whose tokens are used already are left alone: here the loop carries the token, and waits.

// CHECK-LABEL: npu.kernel @carried
// CHECK: [[FIRST:%.+]] = npu.copy
// CHECK-NEXT: [[LAST:%.+]] = scf.for {{.+}} iter_args([[BEFORE:%.+]] = [[FIRST]])
// CHECK-NEXT: npu.wait [[BEFORE]]
// CHECK-NEXT: [[NEXT:%.+]] = npu.copy
// CHECK-NEXT: scf.yield [[NEXT]]
// CHECK-NEXT: }
// CHECK-NEXT: npu.wait [[LAST]]
// CHECK-NEXT: npu.return
npu.kernel @carried(%b: index, %x: memref<4x16xf32>) core(vector) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  %first = npu.copy %x[%c0, 0], %t[0] sizes [16] engine(mte2) : memref<4x16xf32>, memref<16xf32, #npu.space<ub>>
  %last = scf.for %i = %c1 to %c4 step %c1 iter_args(%before = %first) -> (!npu.token) {
    npu.wait %before
    %next = npu.copy %x[%i, 0], %t[0] sizes [16] engine(mte2) : memref<4x16xf32>, memref<16xf32, #npu.space<ub>>
    scf.yield %next : !npu.token
  }
  npu.wait %last
  npu.return
}
