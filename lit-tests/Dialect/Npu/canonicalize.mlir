// RUN: sinter-opt %s --canonicalize | FileCheck %s

// A wait needs each token once, and none that is ready; a wait for nothing goes.

// CHECK-LABEL: npu.kernel @waits(
// CHECK-SAME: [[A0:%[^:]+]]:{{.*}} [[A1:%[^:]+]]:
// CHECK-NEXT: [[R0:%.+]] = npu.alloc : memref<16xf32, #npu.space<ub>>
// CHECK-NEXT: [[R1:%.+]] = npu.copy [[A1]][0], [[R0]][0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
// CHECK-NEXT: npu.wait [[R1]]
// CHECK-NEXT: npu.return
npu.kernel @waits(%block: index, %x: memref<16xf32>) core(vector) {
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  %none = npu.ready
  %in = npu.copy %x[0], %t[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
  npu.wait %none
  npu.wait %in, %none, %in
  npu.return
}
