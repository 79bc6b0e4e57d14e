// RUN: sinter-opt %s --sinter-npu-to-func | FileCheck %s

// Plain functions: no kernel, no function of math without an instruction.

// CHECK-NOT: npu.kernel
// CHECK-LABEL: func.func @exp
// CHECK-NOT: math.exp
// CHECK: math.fma
// CHECK: return
npu.kernel @exp(%block: index, %x: memref<16xf32>, %y: memref<16xf32>) core(vector) {
  npu.compute engine(vector) {
    %v = vector.load %x[%block] : memref<16xf32>, vector<8xf32>
    %e = math.exp %v : vector<8xf32>
    vector.store %e, %y[%block] : memref<16xf32>, vector<8xf32>
  }
  npu.return
}
