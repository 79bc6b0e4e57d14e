// RUN: sinter-opt %s --inline | FileCheck %s

// Helper functions are inlined into compute regions.

// CHECK-NOT: @scale
func.func private @scale(%v: vector<16xf32>) -> vector<16xf32> {
  %c = arith.constant dense<2.0> : vector<16xf32>
  %0 = arith.mulf %v, %c : vector<16xf32>
  return %0 : vector<16xf32>
}

// CHECK-LABEL: npu.kernel @k(
// CHECK-SAME: [[A0:%[^:]+]]:{{.*}} [[A1:%[^:]+]]:
// CHECK-NEXT: [[CST:%.+]] = arith.constant dense<2.000000e+00> : vector<16xf32>
// CHECK-NEXT: [[C0:%.+]] = arith.constant 0 : index
// CHECK-NEXT: npu.compute engine(vector) {
// CHECK-NEXT: [[R0:%.+]] = vector.load [[A1]][[[C0]]] : memref<16xf32>, vector<16xf32>
// CHECK-NEXT: [[R1:%.+]] = arith.mulf [[R0]], [[CST]] : vector<16xf32>
// CHECK-NEXT: vector.store [[R1]], [[A1]][[[C0]]] : memref<16xf32>, vector<16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: npu.return
npu.kernel @k(%block: index, %x: memref<16xf32>) core(vector) {
  npu.compute engine(vector) {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0] : memref<16xf32>, vector<16xf32>
    %0 = func.call @scale(%v) : (vector<16xf32>) -> vector<16xf32>
    vector.store %0, %x[%c0] : memref<16xf32>, vector<16xf32>
  }
  npu.return
}
