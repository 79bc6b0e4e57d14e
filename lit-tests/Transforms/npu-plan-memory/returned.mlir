// RUN: sinter-opt %s --npu-plan-memory | FileCheck %s

// A buffer that the program returns is the caller's memory and has no place in the arena.

// CHECK-LABEL: npu.program @main
// CHECK-SAME: arena_bytes = 0
// CHECK-NOT: npu.view
// CHECK: [[Y:%.+]] = npu.buffer : memref<16xf32>
// CHECK: npu.launch @k blocks(1) ({{%.+}}, [[Y]] :
// CHECK: npu.return [[Y]]
npu.kernel @k(%b: index, %x: memref<16xf32>, %y: memref<16xf32>) core(vector) attributes {inputs = 1 : i64} {
  npu.return
}
npu.program @main(%x: memref<16xf32>) -> memref<16xf32> {
  %y = npu.buffer : memref<16xf32>
  npu.launch @k blocks(1) (%x, %y : memref<16xf32>, memref<16xf32>)
  npu.return %y : memref<16xf32>
}
