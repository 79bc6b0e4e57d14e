// RUN: sinter-opt %s --convert-npu-to-func | FileCheck %s

// A kernel with transfers calls the functions in the scratch words: copy with a token and a description of the
// transfer, wait with the token, release with an address and a size. Word 13 is the base of UB.

// CHECK-LABEL: func.func @load
// CHECK-SAME: {{.*}}, [[WORDS:%[^ ,]+]]: memref<64xi64>)
// CHECK: [[D:%.+]] = memref.alloca() : memref<20xi64>
// CHECK: [[UB:%.+]] = arith.constant 13 : index
// CHECK: memref.load [[WORDS]]{{\[}}[[UB]]]
// CHECK: [[T:%.+]] = memref.view {{.+}} : memref<?xi8> to memref<16xf32>
// CHECK: memref.extract_aligned_pointer_as_index [[T]]
// CHECK-COUNT-20: memref.store {{.+}}, [[D]]
// CHECK: [[COPY:%.+]] = llvm.inttoptr
// CHECK: llvm.call [[COPY]]({{%.+}}, [[TOKEN:%.+]], {{%.+}}) : !llvm.ptr, (i64, i64, i64) -> ()
// CHECK: [[WAIT:%.+]] = llvm.inttoptr
// CHECK: llvm.call [[WAIT]]({{%.+}}, [[TOKEN]]) : !llvm.ptr, (i64, i64) -> ()
// CHECK: [[BYTES:%.+]] = arith.constant 64 : i64
// CHECK: [[RELEASE:%.+]] = llvm.inttoptr
// CHECK: llvm.call [[RELEASE]]({{%.+}}, {{%.+}}, [[BYTES]]) : !llvm.ptr, (i64, i64, i64) -> ()
// CHECK-NEXT: return
npu.kernel @load(%block: index, %x: memref<4x16xf32>) core(vector) {
  %t = npu.alloc offset 64 : memref<16xf32, #npu.space<ub>>
  %in = npu.copy %x[%block, 0], %t[0] sizes [16] engine(mte2) : memref<4x16xf32>, memref<16xf32, #npu.space<ub>>
  npu.wait %in
  npu.release %t : memref<16xf32, #npu.space<ub>>
  npu.return
}

// Along maps a step of the transfer is a sum of strides: every second pixel of a row of 15 of 16 channels is 128
// bytes from the last, every second row 1920; in the matrix they are 64 and 448.

// CHECK-LABEL: func.func @rearrange
// CHECK: [[TO:%.+]] = arith.constant 448 : i64
// CHECK-NEXT: [[TO2:%.+]] = arith.constant 64 : i64
// CHECK-NEXT: [[TO3:%.+]] = arith.constant 4 : i64
// CHECK-NEXT: [[FROM:%.+]] = arith.constant 1920 : i64
// CHECK-NEXT: [[FROM2:%.+]] = arith.constant 128 : i64
// CHECK-NEXT: [[FROM3:%.+]] = arith.constant 4 : i64
npu.kernel @rearrange(%block: index) core(cube) {
  %x = npu.alloc offset 0 : memref<9x15x16xf32, #npu.space<l1>>
  %a = npu.alloc offset 0 : memref<28x16xf32, #npu.space<l0a>>
  %left = npu.copy %x[0, 0, 0] along affine_map<(h, w, c) -> (h * 2, w * 2, c)>, %a[0, 0] along affine_map<(h, w, c) -> (h * 7 + w, c)> sizes [4, 7, 16] engine(mte1) : memref<9x15x16xf32, #npu.space<l1>>, memref<28x16xf32, #npu.space<l0a>>
  npu.wait %left
  npu.return
}
