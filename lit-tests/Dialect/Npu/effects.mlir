// RUN: sinter-opt %s --canonicalize --cse | FileCheck %s

// Transfers, waits, launches and compute regions that store stay; unused views, tokens and regions
// without effects go.

// CHECK-LABEL: npu.kernel @kept(
// CHECK-SAME: [[A0:%[^:]+]]:{{.*}} [[A1:%[^:]+]]:{{.*}} [[A2:%[^:]+]]:
// CHECK-NEXT: [[C0:%.+]] = arith.constant 0 : index
// CHECK-NEXT: [[R0:%.+]] = npu.alloc : memref<16xf32, #npu.space<ub>>
// CHECK-NEXT: [[R1:%.+]] = npu.copy [[A1]][0], [[R0]][0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
// CHECK-NEXT: [[R2:%.+]] = npu.copy [[A1]][0], [[R0]][0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
// CHECK-NEXT: npu.wait [[R1]], [[R2]]
// CHECK-NEXT: npu.compute engine(vector) {
// CHECK-NEXT: [[R3:%.+]] = vector.load [[R0]][[[C0]]] : memref<16xf32, #npu.space<ub>>, vector<16xf32>
// CHECK-NEXT: vector.store [[R3]], [[A2]][[[C0]]] : memref<16xf32>, vector<16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: npu.return
npu.kernel @kept(%block: index, %x: memref<16xf32>, %y: memref<16xf32>) core(vector) {
  %t = npu.alloc : memref<16xf32, #npu.space<ub>>
  %in = npu.copy %x[0], %t[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
  %again = npu.copy %x[0], %t[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
  npu.wait %in, %again
  npu.compute engine(vector) {
    %c0 = arith.constant 0 : index
    %v = vector.load %t[%c0] : memref<16xf32, #npu.space<ub>>, vector<16xf32>
    vector.store %v, %y[%c0] : memref<16xf32>, vector<16xf32>
  }
  npu.return
}

// CHECK-LABEL: npu.kernel @gone(
// CHECK-SAME: [[A0:%[^:]+]]:{{.*}} [[A1:%[^:]+]]:
// CHECK-NEXT: npu.return
npu.kernel @gone(%block: index, %x: memref<16xf32>) core(vector) {
  %none = npu.ready
  npu.compute engine(vector) {
    %c0 = arith.constant 0 : index
  }
  npu.return
}

// A matrix step writes its sums, even twice the same ones.

// CHECK-LABEL: npu.kernel @products(
// CHECK-COUNT-2: npu.mma
// CHECK: npu.return
npu.kernel @products(%block: index) core(cube) {
  %a = npu.alloc : memref<16x16xf32, #npu.space<l0a>>
  %b = npu.alloc : memref<16x16xf32, #npu.space<l0b>>
  %c = npu.alloc : memref<16x16xf32, #npu.space<l0c>>
  npu.mma %a, %b into %c : memref<16x16xf32, #npu.space<l0a>>, memref<16x16xf32, #npu.space<l0b>>, memref<16x16xf32, #npu.space<l0c>>
  npu.mma %a, %b into %c : memref<16x16xf32, #npu.space<l0a>>, memref<16x16xf32, #npu.space<l0b>>, memref<16x16xf32, #npu.space<l0c>>
  npu.return
}

// CHECK-LABEL: npu.program @main(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: [[R0:%.+]] = npu.buffer : memref<16xf32>
// CHECK-NEXT: npu.launch @kept blocks(1) ([[A0]], [[R0]] : memref<16xf32>, memref<16xf32>)
// CHECK-NEXT: npu.barrier
// CHECK-NEXT: npu.return [[R0]] : memref<16xf32>
npu.program @main(%x: memref<16xf32>) -> memref<16xf32> {
  %y = npu.buffer : memref<16xf32>
  %v = npu.view offset 0 : memref<16xf32>
  %w = npu.constant offset 0 -> memref<16xf32>
  npu.launch @kept blocks(1) (%x, %y : memref<16xf32>, memref<16xf32>)
  npu.barrier
  npu.return %y : memref<16xf32>
}
