// RUN: sinter-opt %s | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --mlir-print-op-generic | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --emit-bytecode | sinter-opt | FileCheck %s

// Tile loops, parts of tensors, data-dependent reads.

// CHECK-LABEL: func.func @grid(
// CHECK-SAME: [[X:%[^:]+]]:{{.*}} [[INIT:%[^:]+]]:
// CHECK: [[R:%.+]] = tloop.tile [56, 64] by [4, 16] grid carry([[INIT]] : tensor<56x64xf32>) {
// CHECK: ^bb0([[I:%.+]]: index, [[J:%.+]]: index, [[D:%.+]]: tensor<56x64xf32>):
// CHECK: [[T:%.+]] = tloop.extract [[X]][[[I]], [[J]]] sizes [4, 16] : tensor<56x64xf32> -> tensor<4x16xf32>
// CHECK: [[U:%.+]] = tloop.insert [[T]] into [[D]][[[I]], [[J]]] : tensor<4x16xf32> into tensor<56x64xf32>
// CHECK: tloop.yield [[U]] : tensor<56x64xf32>
// CHECK: } -> tensor<56x64xf32>
// CHECK: return [[R]] : tensor<56x64xf32>
func.func @grid(%x: tensor<56x64xf32>, %init: tensor<56x64xf32>) -> tensor<56x64xf32> {
  %r = tloop.tile [56, 64] by [4, 16] grid carry(%init : tensor<56x64xf32>) {
  ^bb0(%i: index, %j: index, %d: tensor<56x64xf32>):
    %t = tloop.extract %x[%i, %j] sizes [4, 16] : tensor<56x64xf32> -> tensor<4x16xf32>
    %u = tloop.insert %t into %d[%i, %j] : tensor<4x16xf32> into tensor<56x64xf32>
    tloop.yield %u : tensor<56x64xf32>
  } -> tensor<56x64xf32>
  return %r : tensor<56x64xf32>
}

// CHECK-LABEL: func.func @sequential(
// CHECK-SAME: [[X:%[^:]+]]:
// CHECK: tloop.tile [8] by [2] {
// CHECK: ^bb0([[I:%.+]]: index):
// CHECK: tloop.yield
// CHECK: return
func.func @sequential(%x: memref<8xf32>) {
  tloop.tile [8] by [2] {
  ^bb0(%i: index):
    tloop.yield
  }
  return
}

// CHECK-LABEL: func.func @unknown_size(
// CHECK-SAME: [[X:%[^:]+]]:{{.*}} [[I:%[^:]+]]:{{.*}} [[N:%[^:]+]]:
// CHECK: [[T:%.+]] = tloop.extract [[X]][[[I]], 0] sizes [4, [[N]]] : tensor<56x64xf32> -> tensor<4x?xf32>
// CHECK: return
func.func @unknown_size(%x: tensor<56x64xf32>, %i: index, %n: index) {
  %t = tloop.extract %x[%i, 0] sizes [4, %n] : tensor<56x64xf32> -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @read(
// CHECK-SAME: [[TABLE:%[^:]+]]:{{.*}} [[I:%[^:]+]]:{{.*}} [[J:%[^:]+]]:
// CHECK: [[V:%.+]] = tloop.read [[TABLE]][[[I]], [[J]]] : tensor<1000x64xf32> -> f32
// CHECK: return
func.func @read(%table: tensor<1000x64xf32>, %i: index, %j: index) {
  %v = tloop.read %table[%i, %j] : tensor<1000x64xf32> -> f32
  return
}
