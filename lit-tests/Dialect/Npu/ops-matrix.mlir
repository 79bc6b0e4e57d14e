// RUN: sinter-opt %s | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --mlir-print-op-generic | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --emit-bytecode | sinter-opt | FileCheck %s

// The matrix unit and a group of cores.

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
