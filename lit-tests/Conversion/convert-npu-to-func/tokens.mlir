// RUN: sinter-opt %s --convert-npu-to-func --canonicalize | FileCheck %s

// Tokens become numbers, also those that a loop carries; one that stands for no transfer is negative.

// CHECK-LABEL: func.func @carried
// CHECK-DAG: [[NONE:%.+]] = arith.constant -1 : i64
// CHECK-DAG: [[IN:%.+]] = arith.constant 0 : i64
// CHECK: [[LAST:%.+]] = scf.for {{.+}} iter_args([[BEFORE:%.+]] = [[NONE]]) -> (i64)
// CHECK: llvm.call {{%.+}}({{%.+}}, [[BEFORE]]) : !llvm.ptr, (i64, i64) -> ()
// CHECK: llvm.call {{%.+}}({{%.+}}, [[IN]], {{%.+}}) : !llvm.ptr, (i64, i64, i64) -> ()
// CHECK: scf.yield [[IN]] : i64
// CHECK: llvm.call {{%.+}}({{%.+}}, [[LAST]]) : !llvm.ptr, (i64, i64) -> ()
npu.kernel @carried(%b: index, %x: memref<4x16xf32>) core(vector) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = npu.alloc offset 0 : memref<16xf32, #npu.space<ub>>
  %none = npu.ready
  %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%before = %none) -> (!npu.token) {
    npu.wait %before
    %in = npu.copy %x[%i, 0], %t[0] sizes [16] engine(mte2) : memref<4x16xf32>, memref<16xf32, #npu.space<ub>>
    scf.yield %in : !npu.token
  }
  npu.wait %last
  npu.return
}
