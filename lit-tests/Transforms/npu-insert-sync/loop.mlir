// RUN: sinter-opt %s --npu-insert-sync | FileCheck %s

// A transfer of a loop's body is waited for in the body; one before the loop is waited for before the loop
// that touches its memory.

// CHECK-LABEL: npu.kernel @body
// CHECK: [[BEFORE:%.+]] = npu.copy
// CHECK-NEXT: npu.wait [[BEFORE]]
// CHECK-NEXT: scf.for
// CHECK-NEXT: [[IN:%.+]] = npu.copy
// CHECK-NEXT: npu.wait [[IN]]
// CHECK-NEXT: npu.compute
// CHECK: [[OUT:%.+]] = npu.copy {{.+}} engine(mte3)
// CHECK-NEXT: npu.wait [[OUT]]
// CHECK-NEXT: }
// CHECK-NEXT: npu.return
npu.kernel @body(%b: index, %x: memref<4x16xf32>, %w: memref<16xf32>, %y: memref<4x16xf32>) core(vector) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %s = npu.alloc : memref<16xf32, #npu.space<ub>>
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  %scale = npu.copy %w[0], %s[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
  scf.for %i = %c0 to %c4 step %c1 {
    %in = npu.copy %x[%i, 0], %t[0] sizes [16] engine(mte2) : memref<4x16xf32>, memref<16xf32, #npu.space<ub>>
    npu.compute engine(vector) {
      %v = vector.load %t[%c0] : memref<16xf32, #npu.space<ub>>, vector<16xf32>
      %k = vector.load %s[%c0] : memref<16xf32, #npu.space<ub>>, vector<16xf32>
      %p = arith.mulf %v, %k : vector<16xf32>
      vector.store %p, %t[%c0] : memref<16xf32, #npu.space<ub>>, vector<16xf32>
    }
    %out = npu.copy %t[0], %y[%i, 0] sizes [16] engine(mte3) : memref<16xf32, #npu.space<ub>>, memref<4x16xf32>
  }
  npu.return
}
