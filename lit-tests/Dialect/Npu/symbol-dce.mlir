// RUN: sinter-opt %s --symbol-dce | FileCheck %s

// Private kernels live as long as a program launches them.

// CHECK: npu.kernel private @launched
// CHECK-NOT: @left_over
npu.kernel private @launched(%block: index, %x: memref<16xf32>) core(vector) {
  npu.return
}
npu.kernel private @left_over(%block: index, %x: memref<16xf32>) core(vector) {
  npu.return
}
npu.program @main(%x: memref<16xf32>) -> memref<16xf32> {
  npu.launch @launched blocks(1) (%x : memref<16xf32>)
  npu.return %x : memref<16xf32>
}
