// RUN: not sinter-opt %s --npu-check-races 2>&1 | FileCheck %s

// Faults come in the order of the operations, those at the kernel's end in the order of the transfers.

// CHECK: error: 'npu.release' touches memory of a transfer that may be under way
// CHECK: error: 'npu.compute' touches memory of a transfer that may be under way
// CHECK: error: transfer may still be under way when the kernel ends
// CHECK-NEXT: %first = npu.copy
// CHECK: error: transfer may still be under way when the kernel ends
// CHECK-NEXT: %second = npu.copy
npu.kernel @order(%b: index, %x: memref<16xf32>) core(vector) {
  %c0 = arith.constant 0 : index
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  %u = npu.alloc : memref<16xf32, #npu.space<ub>>
  %first = npu.copy %x[0], %t[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
  %second = npu.copy %x[0], %u[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
  npu.release %u : memref<16xf32, #npu.space<ub>>
  npu.compute engine(vector) {
    %v = memref.load %t[%c0] : memref<16xf32, #npu.space<ub>>
  }
  npu.return
}
