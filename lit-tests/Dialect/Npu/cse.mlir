// RUN: sinter-opt %s --cse | FileCheck %s

// Equal views and constants are one; two buffers, and two tiles, are two.

// CHECK-LABEL: npu.kernel private @k(
// CHECK-SAME: [[A0:%[^:]+]]:{{.*}} [[A1:%[^:]+]]:{{.*}} [[A2:%[^:]+]]:
// CHECK-NEXT: [[R0:%.+]] = npu.alloc : memref<4xf32, #npu.space<ub>>
// CHECK-NEXT: [[R1:%.+]] = npu.alloc : memref<4xf32, #npu.space<ub>>
// CHECK-NEXT: npu.release [[R0]] : memref<4xf32, #npu.space<ub>>
// CHECK-NEXT: npu.release [[R1]] : memref<4xf32, #npu.space<ub>>
// CHECK-NEXT: npu.return
npu.kernel private @k(%block: index, %x: memref<4xf32>, %y: memref<4xf32>) core(vector) {
  %t = npu.alloc : memref<4xf32, #npu.space<ub>>
  %u = npu.alloc : memref<4xf32, #npu.space<ub>>
  npu.release %t : memref<4xf32, #npu.space<ub>>
  npu.release %u : memref<4xf32, #npu.space<ub>>
  npu.return
}

// CHECK-LABEL: npu.program @views(
// CHECK-NEXT: [[R0:%.+]] = npu.view offset 64 : memref<4xf32>
// CHECK-NEXT: npu.launch @k blocks(1) ([[R0]], [[R0]] : memref<4xf32>, memref<4xf32>)
// CHECK-NEXT: npu.return
npu.program @views() {
  %a = npu.view offset 64 : memref<4xf32>
  %b = npu.view offset 64 : memref<4xf32>
  npu.launch @k blocks(1) (%a, %b : memref<4xf32>, memref<4xf32>)
  npu.return
}

// CHECK-LABEL: npu.program @buffers(
// CHECK-NEXT: [[R0:%.+]] = npu.buffer : memref<4xf32>
// CHECK-NEXT: [[R1:%.+]] = npu.buffer : memref<4xf32>
// CHECK-NEXT: npu.launch @k blocks(1) ([[R0]], [[R1]] : memref<4xf32>, memref<4xf32>)
// CHECK-NEXT: npu.return
npu.program @buffers() {
  %a = npu.buffer : memref<4xf32>
  %b = npu.buffer : memref<4xf32>
  npu.launch @k blocks(1) (%a, %b : memref<4xf32>, memref<4xf32>)
  npu.return
}
