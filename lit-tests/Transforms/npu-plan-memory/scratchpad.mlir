// RUN: sinter-opt %s --npu-plan-memory=device=ascend-910b --npu-verify-plan=device=ascend-910b | FileCheck %s

// Tiles in use at the same time lie apart, tiles in turn share their bytes; the kernel says how many it uses.

// CHECK-LABEL: npu.kernel @in_turn
// CHECK-SAME: scratch = {ub = 64 : i64}
// CHECK-COUNT-2: npu.alloc offset 0
npu.kernel @in_turn(%b: index, %x: memref<16xf32>, %y: memref<16xf32>) core(vector) {
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  %u = npu.alloc : memref<16xf32, #npu.space<ub>>
  %a = npu.copy %x[0], %t[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
  npu.wait %a
  %c = npu.copy %y[0], %u[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
  npu.wait %c
  npu.return
}

// A transfer keeps its tile until it has been waited for.

// CHECK-LABEL: npu.kernel @under_way
// CHECK-SAME: scratch = {ub = 128 : i64}
npu.kernel @under_way(%b: index, %x: memref<16xf32>, %y: memref<16xf32>) core(vector) {
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  %u = npu.alloc : memref<16xf32, #npu.space<ub>>
  %a = npu.copy %x[0], %t[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
  %c = npu.copy %y[0], %u[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
  npu.wait %a
  npu.wait %c
  npu.return
}

// Each space is planned on its own, in steps of 64 bytes.

// CHECK-LABEL: npu.kernel @spaces
// CHECK-SAME: scratch = {l1 = 64 : i64, ub = 72 : i64}
npu.kernel @spaces(%b: index, %x: memref<16xf32>) core(mix) {
  %t = npu.alloc : memref<16xf32, #npu.space<l1>>
  %u = npu.alloc : memref<2xf32, #npu.space<ub>>
  %v = npu.alloc : memref<2xf32, #npu.space<ub>>
  %a = npu.copy %x[0], %t[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<l1>>
  %c = npu.copy %x[0], %u[0] sizes [2] engine(mte2) : memref<16xf32>, memref<2xf32, #npu.space<ub>>
  %d = npu.copy %x[2], %v[0] sizes [2] engine(mte2) : memref<16xf32>, memref<2xf32, #npu.space<ub>>
  npu.wait %a, %c, %d
  npu.return
}

// So does one inside a loop whose token leaves it: only the last wait ends it.

// CHECK-LABEL: npu.kernel @leaves_a_loop
// CHECK-SAME: scratch = {ub = 128 : i64}
npu.kernel @leaves_a_loop(%b: index, %x: memref<4x16xf32>, %y: memref<16xf32>) core(vector) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  %u = npu.alloc : memref<16xf32, #npu.space<ub>>
  %none = npu.ready
  %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%before = %none) -> (!npu.token) {
    npu.wait %before
    %in = npu.copy %x[%i, 0], %t[0] sizes [16] engine(mte2) : memref<4x16xf32>, memref<16xf32, #npu.space<ub>>
    scf.yield %in : !npu.token
  }
  %c = npu.copy %y[0], %u[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
  npu.wait %c
  npu.wait %last
  npu.return
}
