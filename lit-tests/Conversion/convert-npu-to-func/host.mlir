// RUN: sinter-opt %s --convert-npu-to-func | FileCheck %s

// A kernel without transfers: its tiles are views of the thread's scratch memory, which is large enough for
// the last of them. The program stays.

// CHECK-LABEL: func.func @shift
// CHECK-SAME: ([[B:%.+]]: index, [[X:%.+]]: memref<16xf32>, [[Y:%.+]]: memref<16xf32>, [[S:%.+]]: memref<128xi8>)
// CHECK-DAG: [[AT:%.+]] = arith.constant 64 : index
// CHECK: [[T:%.+]] = memref.view [[S]]{{\[}}[[AT]]][] : memref<128xi8> to memref<16xf32>
// CHECK-NEXT: [[V:%.+]] = vector.load [[X]]{{\[}}[[B]]]
// CHECK-NEXT: vector.store [[V]], [[T]]{{\[}}[[B]]]
// CHECK-NEXT: [[W:%.+]] = vector.load [[T]]{{\[}}[[B]]]
// CHECK-NEXT: vector.store [[W]], [[Y]]{{\[}}[[B]]]
// CHECK-NEXT: return
// CHECK-LABEL: npu.program @main
npu.kernel @shift(%block: index, %x: memref<16xf32>, %y: memref<16xf32>) core(vector) {
  %t = npu.alloc offset 64 : memref<16xf32, #npu.space<ub>>
  npu.compute engine(vector) {
    %v = vector.load %x[%block] : memref<16xf32>, vector<8xf32>
    vector.store %v, %t[%block] : memref<16xf32, #npu.space<ub>>, vector<8xf32>
    %w = vector.load %t[%block] : memref<16xf32, #npu.space<ub>>, vector<8xf32>
    vector.store %w, %y[%block] : memref<16xf32>, vector<8xf32>
  }
  npu.return
}
npu.program @main() {
  npu.return
}
