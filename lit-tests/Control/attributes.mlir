// RUN: sinter-opt %s --split-input-file --graph-fuse | FileCheck %s
// RUN: sinter-opt %s --split-input-file --graph-fuse=policy=none | FileCheck %s --check-prefix=NONE

// What attributes of operators ask for.

// CHECK-LABEL: @never_fuse
// CHECK: graph.group @k0_relu(
// CHECK: graph.group @k1_exp_tanh(
module @never_fuse {
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = graph.relu %x {graph.never_fuse} : tensor<64x64xf32>
    %1 = graph.exp %0 : tensor<64x64xf32>
    %2 = graph.tanh %1 : tensor<64x64xf32>
    return %2 : tensor<64x64xf32>
  }
}

// -----

// CHECK-LABEL: @boundary
// CHECK: graph.group @k0_relu_exp(
// CHECK: graph.group @k1_tanh(
module @boundary {
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = graph.relu %x : tensor<64x64xf32>
    %1 = graph.exp %0 {graph.boundary} : tensor<64x64xf32>
    %2 = graph.tanh %1 : tensor<64x64xf32>
    return %2 : tensor<64x64xf32>
  }
}

// -----

// NONE-LABEL: @must_fuse
// NONE: graph.group @k0_relu_exp(
// NONE: graph.group @k1_tanh(
module @must_fuse {
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = graph.relu %x {graph.must_fuse = "a"} : tensor<64x64xf32>
    %1 = graph.exp %0 {graph.must_fuse = "a"} : tensor<64x64xf32>
    %2 = graph.tanh %1 : tensor<64x64xf32>
    return %2 : tensor<64x64xf32>
  }
}

// -----

// CHECK-LABEL: @rules
// CHECK-NOT: graph.silu
// CHECK: graph.sigmoid
module @rules {
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = graph.sigmoid %x {graph.disable = ["activation"]} : tensor<64x64xf32>
    %1 = graph.mul %x, %0 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    return %1 : tensor<64x64xf32>
  }
}

// -----

// CHECK-LABEL: @numerics
// CHECK-NOT: graph.silu
// CHECK: graph.sigmoid
module @numerics {
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = graph.sigmoid %x : tensor<64x64xf32>
    %1 = graph.mul %x, %0 {graph.numerics = "exact"} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    return %1 : tensor<64x64xf32>
  }
}
