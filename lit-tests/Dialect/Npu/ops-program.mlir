// RUN: sinter-opt %s | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --mlir-print-op-generic | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --emit-bytecode | sinter-opt | FileCheck %s

// Programs: buffers, constants, launches.

// CHECK-LABEL: npu.kernel private @scale(
// CHECK-SAME: [[BLOCK:%[^:]+]]:{{.*}} [[X:%[^:]+]]:{{.*}} [[W:%[^:]+]]:{{.*}} [[Y:%[^:]+]]:
// CHECK: npu.return
npu.kernel private @scale(%block: index, %x: memref<4x16xf32>, %w: memref<16xf32>, %y: memref<4x16xf32>) core(vector) {
  npu.return
}

// CHECK-LABEL: npu.program @main(
// CHECK-SAME: [[X:%[^:]+]]:
// CHECK: [[Y:%.+]] = npu.buffer : memref<4x16xf32>
// CHECK: [[W:%.+]] = npu.constant value dense<5.000000e-01> : tensor<16xf32> -> memref<16xf32>
// CHECK: npu.launch @scale blocks(4) ([[X]], [[W]], [[Y]] : memref<4x16xf32>, memref<16xf32>, memref<4x16xf32>)
// CHECK: npu.barrier
// CHECK: npu.return [[Y]] : memref<4x16xf32>
npu.program @main(%x: memref<4x16xf32>) -> memref<4x16xf32> {
  %y = npu.buffer : memref<4x16xf32>
  %w = npu.constant value dense<5.000000e-01> : tensor<16xf32> -> memref<16xf32>
  npu.launch @scale blocks(4) (%x, %w, %y : memref<4x16xf32>, memref<16xf32>, memref<4x16xf32>)
  npu.barrier
  npu.return %y : memref<4x16xf32>
}

// CHECK-LABEL: npu.program @planned(
// CHECK-SAME: [[X:%[^:]+]]:
// CHECK: [[Y:%.+]] = npu.view offset 256 : memref<4x16xf32>
// CHECK: [[W:%.+]] = npu.constant offset 8192 -> memref<16xf32>
// CHECK: npu.launch @scale blocks(4) ([[X]], [[W]], [[Y]] : memref<4x16xf32>, memref<16xf32>, memref<4x16xf32>)
// CHECK: npu.return [[Y]] : memref<4x16xf32>
npu.program @planned(%x: memref<4x16xf32>) -> memref<4x16xf32> attributes {arena_bytes = 512 : i64} {
  %y = npu.view offset 256 : memref<4x16xf32>
  %w = npu.constant offset 8192 -> memref<16xf32>
  npu.launch @scale blocks(4) (%x, %w, %y : memref<4x16xf32>, memref<16xf32>, memref<4x16xf32>)
  npu.return %y : memref<4x16xf32>
}
