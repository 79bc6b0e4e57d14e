// RUN: sinter-opt %s | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --mlir-print-op-generic | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --emit-bytecode | sinter-opt | FileCheck %s

// The matrix unit and a group of cores.

// CHECK-DAG: [[$PIXELS:#map[0-9]*]] = affine_map<(d0, d1, d2) -> (d0 * 2, d1 * 2, d2)>
// CHECK-DAG: [[$ROWS:#map[0-9]*]] = affine_map<(d0, d1, d2) -> (d0 * 7 + d1, d2)>
// CHECK-DAG: [[$TURNED:#map[0-9]*]] = affine_map<(d0, d1) -> (d1, d0)>

// CHECK-LABEL: npu.kernel @matmul(
// CHECK-SAME: [[BLOCK:%[^:]+]]:{{.*}} [[Y:%[^:]+]]:
// CHECK: [[A:%.+]] = npu.alloc : memref<16x64xf16, #npu.space<l0a>>
// CHECK: [[B:%.+]] = npu.alloc : memref<64x16xf16, #npu.space<l0b>>
// CHECK: [[C:%.+]] = npu.alloc : memref<16x16xf32, #npu.space<l0c>>
// CHECK: npu.mma [[A]], [[B]] into [[C]] init : memref<16x64xf16, #npu.space<l0a>>, memref<64x16xf16, #npu.space<l0b>>, memref<16x16xf32, #npu.space<l0c>>
// CHECK: npu.mma [[A]], [[B]] into [[C]] : memref<16x64xf16, #npu.space<l0a>>, memref<64x16xf16, #npu.space<l0b>>, memref<16x16xf32, #npu.space<l0c>>
// CHECK: [[OUT:%.+]] = npu.copy [[C]][0, 0], [[Y]][0, 0] sizes [16, 16] engine(fixpipe) post_op "relu" : memref<16x16xf32, #npu.space<l0c>>, memref<16x16xf32>
// CHECK: npu.wait [[OUT]]
// CHECK: npu.return
npu.kernel @matmul(%block: index, %y: memref<16x16xf32>) core(cube) {
  %a = npu.alloc : memref<16x64xf16, #npu.space<l0a>>
  %b = npu.alloc : memref<64x16xf16, #npu.space<l0b>>
  %c = npu.alloc : memref<16x16xf32, #npu.space<l0c>>
  npu.mma %a, %b into %c init : memref<16x64xf16, #npu.space<l0a>>, memref<64x16xf16, #npu.space<l0b>>, memref<16x16xf32, #npu.space<l0c>>
  npu.mma %a, %b into %c : memref<16x64xf16, #npu.space<l0a>>, memref<64x16xf16, #npu.space<l0b>>, memref<16x16xf32, #npu.space<l0c>>
  %out = npu.copy %c[0, 0], %y[0, 0] sizes [16, 16] engine(fixpipe) post_op "relu" : memref<16x16xf32, #npu.space<l0c>>, memref<16x16xf32>
  npu.wait %out
  npu.return
}

// CHECK-LABEL: npu.kernel @exchange(
// CHECK-SAME: [[BLOCK:%[^:]+]]:
// CHECK: npu.sync
// CHECK: npu.return
npu.kernel @exchange(%block: index) core(mix) {
  npu.sync
  npu.return
}

// A copy that takes an image apart into the rows of a matrix, one that transposes, products of a batch.

// CHECK-LABEL: npu.kernel @rearrange(
// CHECK: npu.copy {{.+}} along [[$PIXELS]], {{.+}} along [[$ROWS]] sizes [4, 7, 16] engine(mte1) : memref<9x15x16xf32, #npu.space<l1>>, memref<28x16xf32, #npu.space<l0a>>
// CHECK: npu.copy {{.+}}[0, 0] along [[$TURNED]], {{.+}}[0, 0] sizes [16, 32] engine(mte1) : memref<32x16xf32, #npu.space<l1>>, memref<16x32xf32, #npu.space<l0b>>
// CHECK: npu.mma {{.+}} : memref<28x16xf32, #npu.space<l0a>>, memref<16x32xf32, #npu.space<l0b>>, memref<28x32xf32, #npu.space<l0c>>
// CHECK: npu.mma {{.+}} init : memref<3x8x16xf32, #npu.space<l0a>>, memref<3x16x8xf32, #npu.space<l0b>>, memref<3x8x8xf32, #npu.space<l0c>>
npu.kernel @rearrange(%block: index) core(cube) {
  %x = npu.alloc : memref<9x15x16xf32, #npu.space<l1>>
  %w = npu.alloc : memref<32x16xf32, #npu.space<l1>>
  %a = npu.alloc : memref<28x16xf32, #npu.space<l0a>>
  %b = npu.alloc : memref<16x32xf32, #npu.space<l0b>>
  %c = npu.alloc : memref<28x32xf32, #npu.space<l0c>>
  %left = npu.copy %x[%block, %block, 0] along affine_map<(h, w, c) -> (h * 2, w * 2, c)>, %a[0, 0] along affine_map<(h, w, c) -> (h * 7 + w, c)> sizes [4, 7, 16] engine(mte1) : memref<9x15x16xf32, #npu.space<l1>>, memref<28x16xf32, #npu.space<l0a>>
  %right = npu.copy %w[0, 0] along affine_map<(k, n) -> (n, k)>, %b[0, 0] sizes [16, 32] engine(mte1) : memref<32x16xf32, #npu.space<l1>>, memref<16x32xf32, #npu.space<l0b>>
  npu.wait %left, %right
  npu.mma %a, %b into %c : memref<28x16xf32, #npu.space<l0a>>, memref<16x32xf32, #npu.space<l0b>>, memref<28x32xf32, #npu.space<l0c>>
  %l = npu.alloc : memref<3x8x16xf32, #npu.space<l0a>>
  %r = npu.alloc : memref<3x16x8xf32, #npu.space<l0b>>
  %s = npu.alloc : memref<3x8x8xf32, #npu.space<l0c>>
  npu.mma %l, %r into %s init : memref<3x8x16xf32, #npu.space<l0a>>, memref<3x16x8xf32, #npu.space<l0b>>, memref<3x8x8xf32, #npu.space<l0c>>
  npu.return
}
