// RUN: sinter-opt %s --npu-insert-sync | FileCheck %s

// A wait stands before the first operation that touches the target of a transfer or writes its source.

// CHECK-LABEL: npu.kernel @first_use
// CHECK: [[A:%.+]] = npu.copy {{.+}} engine(mte2)
// CHECK-NEXT: [[B:%.+]] = npu.copy {{.+}} engine(mte2)
// CHECK-NEXT: arith.constant
// CHECK-NEXT: npu.wait [[A]], [[B]]
// CHECK-NEXT: npu.compute
npu.kernel @first_use(%b: index, %x: memref<16xf32>, %y: memref<16xf32>) core(vector) {
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  %u = npu.alloc : memref<16xf32, #npu.space<ub>>
  %in = npu.copy %x[0], %t[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
  %on = npu.copy %y[0], %u[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
  %c0 = arith.constant 0 : index
  npu.compute engine(vector) {
    %v = memref.load %t[%c0] : memref<16xf32, #npu.space<ub>>
    memref.store %v, %u[%c0] : memref<16xf32, #npu.space<ub>>
  }
  npu.return
}

// Reading the source needs no wait, writing it does.

// CHECK-LABEL: npu.kernel @source
// CHECK: [[OUT:%.+]] = npu.copy {{.+}} engine(mte3)
// CHECK-NEXT: npu.compute
// CHECK: memref.load
// CHECK: npu.wait [[OUT]]
// CHECK-NEXT: npu.compute
// CHECK: memref.store
npu.kernel @source(%b: index, %y: memref<16xf32>) core(vector) {
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  %c0 = arith.constant 0 : index
  %out = npu.copy %t[0], %y[0] sizes [16] engine(mte3) : memref<16xf32, #npu.space<ub>>, memref<16xf32>
  npu.compute engine(vector) {
    %v = memref.load %t[%c0] : memref<16xf32, #npu.space<ub>>
  }
  npu.compute engine(vector) {
    %one = arith.constant 1.0 : f32
    memref.store %one, %t[%c0] : memref<16xf32, #npu.space<ub>>
  }
  npu.return
}

// What nothing needs is waited for at the end.

// CHECK-LABEL: npu.kernel @unneeded
// CHECK: [[IN:%.+]] = npu.copy
// CHECK-NEXT: npu.wait [[IN]]
// CHECK-NEXT: npu.return
npu.kernel @unneeded(%b: index, %x: memref<16xf32>) core(vector) {
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  %in = npu.copy %x[0], %t[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
  npu.return
}
