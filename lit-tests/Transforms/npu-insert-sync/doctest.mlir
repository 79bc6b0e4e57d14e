// RUN: sinter-opt %s --npu-insert-sync --npu-check-races | FileCheck %s

// The example of the documentation: what the pass orders, the race check accepts.

// CHECK-LABEL: npu.kernel @relu
// CHECK: [[IN:%.+]] = npu.copy {{.+}} engine(mte2)
// CHECK-NEXT: npu.wait [[IN]]
// CHECK-NEXT: npu.compute
// CHECK: [[OUT:%.+]] = npu.copy {{.+}} engine(mte3)
// CHECK-NEXT: npu.wait [[OUT]]
// CHECK-NEXT: npu.return
npu.kernel @relu(%block: index, %x: memref<4x16xf32>, %y: memref<4x16xf32>) core(vector) {
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  %in = npu.copy %x[%block, 0], %t[0] sizes [16] engine(mte2) : memref<4x16xf32>, memref<16xf32, #npu.space<ub>>
  npu.compute engine(vector) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : vector<16xf32>
    %v = vector.load %t[%c0] : memref<16xf32, #npu.space<ub>>, vector<16xf32>
    %r = arith.maximumf %v, %zero : vector<16xf32>
    vector.store %r, %t[%c0] : memref<16xf32, #npu.space<ub>>, vector<16xf32>
  }
  %out = npu.copy %t[0], %y[%block, 0] sizes [16] engine(mte3) : memref<16xf32, #npu.space<ub>>, memref<4x16xf32>
  npu.return
}
