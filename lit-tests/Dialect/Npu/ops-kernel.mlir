// RUN: sinter-opt %s | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --mlir-print-op-generic | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --emit-bytecode | sinter-opt | FileCheck %s

// Kernels: tiles, transfers, compute regions.

// CHECK-LABEL: npu.kernel @relu(
// CHECK-SAME: [[BLOCK:%[^:]+]]:{{.*}} [[X:%[^:]+]]:{{.*}} [[Y:%[^:]+]]:
// CHECK: [[T:%.+]] = npu.alloc offset 0 : memref<16xf32, #npu.space<ub>>
// CHECK: [[U:%.+]] = npu.alloc : memref<16xf32, #npu.space<ub>>
// CHECK: [[IN:%.+]] = npu.copy [[X]][[[BLOCK]], 0], [[T]][0] sizes [16] engine(mte2) : memref<4x16xf32>, memref<16xf32, #npu.space<ub>>
// CHECK: npu.wait [[IN]]
// CHECK: npu.compute engine(vector) {
// CHECK: [[C0:%.+]] = arith.constant 0 : index
// CHECK: [[ZERO:%.+]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK: [[V:%.+]] = vector.load [[T]][[[C0]]] : memref<16xf32, #npu.space<ub>>, vector<16xf32>
// CHECK: [[R:%.+]] = arith.maximumf [[V]], [[ZERO]] : vector<16xf32>
// CHECK: vector.store [[R]], [[U]][[[C0]]] : memref<16xf32, #npu.space<ub>>, vector<16xf32>
// CHECK: [[OUT:%.+]] = npu.copy [[U]][0], [[Y]][[[BLOCK]], 0] sizes [16] engine(mte3) : memref<16xf32, #npu.space<ub>>, memref<4x16xf32>
// CHECK: npu.wait [[OUT]]
// CHECK: npu.release [[T]] : memref<16xf32, #npu.space<ub>>
// CHECK: npu.release [[U]] : memref<16xf32, #npu.space<ub>>
// CHECK: npu.return
npu.kernel @relu(%block: index, %x: memref<4x16xf32>, %y: memref<4x16xf32>) core(vector) attributes {scratch = {ub = 128 : i64}} {
  %t = npu.alloc offset 0 : memref<16xf32, #npu.space<ub>>
  %u = npu.alloc : memref<16xf32, #npu.space<ub>>
  %in = npu.copy %x[%block, 0], %t[0] sizes [16] engine(mte2) : memref<4x16xf32>, memref<16xf32, #npu.space<ub>>
  npu.wait %in
  npu.compute engine(vector) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.000000e+00> : vector<16xf32>
    %v = vector.load %t[%c0] : memref<16xf32, #npu.space<ub>>, vector<16xf32>
    %r = arith.maximumf %v, %zero : vector<16xf32>
    vector.store %r, %u[%c0] : memref<16xf32, #npu.space<ub>>, vector<16xf32>
  }
  %out = npu.copy %u[0], %y[%block, 0] sizes [16] engine(mte3) : memref<16xf32, #npu.space<ub>>, memref<4x16xf32>
  npu.wait %out
  npu.release %t : memref<16xf32, #npu.space<ub>>
  npu.release %u : memref<16xf32, #npu.space<ub>>
  npu.return
}

// CHECK-LABEL: npu.kernel @tail(
// CHECK-SAME: [[BLOCK:%[^:]+]]:{{.*}} [[X:%[^:]+]]:
// CHECK: [[N:%.+]] = arith.constant 4 : index
// CHECK: [[T:%.+]] = npu.alloc : memref<16xf32, #npu.space<ub>>
// CHECK: [[NONE:%.+]] = npu.ready
// CHECK: [[IN:%.+]] = npu.copy [[X]][[[BLOCK]]], [[T]][0] sizes [[[N]]] engine(mte2) : memref<100xf32>, memref<16xf32, #npu.space<ub>>
// CHECK: npu.wait [[NONE]], [[IN]]
// CHECK: npu.return
npu.kernel @tail(%block: index, %x: memref<100xf32>) core(vector) {
  %n = arith.constant 4 : index
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  %none = npu.ready
  %in = npu.copy %x[%block], %t[0] sizes [%n] engine(mte2) : memref<100xf32>, memref<16xf32, #npu.space<ub>>
  npu.wait %none, %in
  npu.return
}
