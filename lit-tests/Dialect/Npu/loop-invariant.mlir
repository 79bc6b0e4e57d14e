// RUN: sinter-opt %s --loop-invariant-code-motion | FileCheck %s

// A transfer stays in its loop, though its operands do not change: it has effects. A ready token moves out.

// CHECK-LABEL: npu.kernel @k(
// CHECK-SAME: [[A0:%[^:]+]]:{{.*}} [[A1:%[^:]+]]:
// CHECK-NEXT: [[C0:%.+]] = arith.constant 0 : index
// CHECK-NEXT: [[C1:%.+]] = arith.constant 1 : index
// CHECK-NEXT: [[C8:%.+]] = arith.constant 8 : index
// CHECK-NEXT: [[R0:%.+]] = npu.alloc : memref<4xf32, #npu.space<ub>>
// CHECK-NEXT: [[R1:%.+]] = npu.ready
// CHECK-NEXT: scf.for [[ARG2:%.+]] = [[C0]] to [[C8]] step [[C1]] {
// CHECK-NEXT: [[R2:%.+]] = npu.copy [[A1]][0], [[R0]][0] sizes [4] engine(mte2) : memref<4xf32>, memref<4xf32, #npu.space<ub>>
// CHECK-NEXT: npu.wait [[R1]], [[R2]]
// CHECK-NEXT: }
// CHECK-NEXT: npu.return
npu.kernel @k(%block: index, %x: memref<4xf32>) core(vector) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %t = npu.alloc : memref<4xf32, #npu.space<ub>>
  scf.for %i = %c0 to %c8 step %c1 {
    %none = npu.ready
    %in = npu.copy %x[0], %t[0] sizes [4] engine(mte2) : memref<4xf32>, memref<4xf32, #npu.space<ub>>
    npu.wait %none, %in
  }
  npu.return
}
