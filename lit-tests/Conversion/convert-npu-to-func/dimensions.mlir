// RUN: sinter-opt %s --convert-npu-to-func --canonicalize --split-input-file | FileCheck %s

// Six dimensions that lie behind each other on both sides are one.

// CHECK-LABEL: func.func @dense
// CHECK-NOT: scf.for
// CHECK: llvm.call
npu.kernel @dense(%b: index, %x: memref<2x3x2x3x2x3xf32>) core(vector) {
  %t = npu.alloc offset 0 : memref<2x3x2x3x2x3xf32, #npu.space<ub>>
  %in = npu.copy %x[0, 0, 0, 0, 0, 0], %t[0, 0, 0, 0, 0, 0] sizes [2, 3, 2, 3, 2, 3] engine(mte2) : memref<2x3x2x3x2x3xf32>, memref<2x3x2x3x2x3xf32, #npu.space<ub>>
  npu.wait %in
  npu.return
}

// -----

// Of seven, the two shortest are loops around transfers that are waited for at once: the token stands for none.

// CHECK-LABEL: func.func @box
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[NONE:.*]] = arith.constant -1 : i64
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[TWO]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[TWO]]
// CHECK: llvm.call
// CHECK: llvm.call
// CHECK: llvm.call %{{.*}}(%{{.*}}, %[[NONE]])
npu.kernel @box(%b: index, %x: memref<4x4x4x4x4x4x4xf32>) core(vector) {
  %t = npu.alloc offset 0 : memref<3x2x3x3x2x3x3xf32, #npu.space<ub>>
  %in = npu.copy %x[0, 0, 0, 0, 0, 0, 0], %t[0, 0, 0, 0, 0, 0, 0] sizes [3, 2, 3, 3, 2, 3, 3] engine(mte2) : memref<4x4x4x4x4x4x4xf32>, memref<3x2x3x3x2x3x3xf32, #npu.space<ub>>
  npu.wait %in
  npu.return
}
