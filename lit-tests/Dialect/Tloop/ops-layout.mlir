// RUN: sinter-opt %s | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --mlir-print-op-generic | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --emit-bytecode | sinter-opt | FileCheck %s

// Layout changes and split reductions.

// CHECK-LABEL: func.func @pack(
// CHECK-SAME: [[W:%[^:]+]]:
// CHECK: [[P:%.+]] = tloop.pack [[W]] layout <(d0, d1) -> (d0 floordiv 16, d1, d0 mod 16)> : tensor<30x64xf32> -> tensor<2x64x16xf32>
// CHECK: [[U:%.+]] = tloop.unpack [[P]] layout <(d0, d1) -> (d0 floordiv 16, d1, d0 mod 16)> : tensor<2x64x16xf32> -> tensor<30x64xf32>
// CHECK: return [[U]] : tensor<30x64xf32>
func.func @pack(%w: tensor<30x64xf32>) -> tensor<30x64xf32> {
  %p = tloop.pack %w layout <(d0, d1) -> (d0 floordiv 16, d1, d0 mod 16)> : tensor<30x64xf32> -> tensor<2x64x16xf32>
  %u = tloop.unpack %p layout <(d0, d1) -> (d0 floordiv 16, d1, d0 mod 16)> : tensor<2x64x16xf32> -> tensor<30x64xf32>
  return %u : tensor<30x64xf32>
}

// CHECK-LABEL: func.func @split(
// CHECK-SAME: [[X:%[^:]+]]:
// CHECK: [[P:%.+]] = tloop.partial [[X]] parts 4 : tensor<4x8xf32>
// CHECK: [[Y:%.+]] = tloop.combine add [[P]] : tensor<4x8xf32> -> tensor<8xf32>
// CHECK: return [[Y]] : tensor<8xf32>
func.func @split(%x: tensor<4x8xf32>) -> tensor<8xf32> {
  %p = tloop.partial %x parts 4 : tensor<4x8xf32>
  %y = tloop.combine add %p : tensor<4x8xf32> -> tensor<8xf32>
  return %y : tensor<8xf32>
}
