// RUN: sinter-opt %s | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --mlir-print-op-generic | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --emit-bytecode | sinter-opt | FileCheck %s

// A double buffer: the loop carries the token of the transfer that runs ahead.

// CHECK-LABEL: npu.kernel @k(
// CHECK-SAME: [[BLOCK:%[^:]+]]:{{.*}} [[X:%[^:]+]]:
// CHECK: [[C0:%.+]] = arith.constant 0 : index
// CHECK: [[C1:%.+]] = arith.constant 1 : index
// CHECK: [[C8:%.+]] = arith.constant 8 : index
// CHECK: [[T:%.+]] = npu.alloc : memref<2x4xf32, #npu.space<ub>>
// CHECK: [[NONE:%.+]] = npu.ready
// CHECK: [[LAST:%.+]] = scf.for [[ARG2:%.+]] = [[C0]] to [[C8]] step [[C1]] iter_args([[ARG3:%.+]] = [[NONE]]) -> (!npu.token) {
// CHECK: [[NEXT:%.+]] = npu.copy [[X]][[[ARG2]], 0], [[T]][0, 0] sizes [4] engine(mte2) : memref<8x4xf32>, memref<2x4xf32, #npu.space<ub>>
// CHECK: npu.wait [[ARG3]]
// CHECK: scf.yield [[NEXT]] : !npu.token
// CHECK: npu.wait [[LAST]]
// CHECK: npu.return
npu.kernel @k(%block: index, %x: memref<8x4xf32>) core(vector) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %t = npu.alloc : memref<2x4xf32, #npu.space<ub>>
  %none = npu.ready
  %last = scf.for %i = %c0 to %c8 step %c1 iter_args(%ahead = %none) -> (!npu.token) {
    %next = npu.copy %x[%i, 0], %t[0, 0] sizes [4] engine(mte2) : memref<8x4xf32>, memref<2x4xf32, #npu.space<ub>>
    npu.wait %ahead
    scf.yield %next : !npu.token
  }
  npu.wait %last
  npu.return
}
