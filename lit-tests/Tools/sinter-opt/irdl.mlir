// RUN: sinter-opt %s --irdl-file=%S/Inputs/vendor.irdl.mlir | FileCheck %s

// Operations of a vendor's own dialect, described in IRDL, stand beside ours.

// CHECK: "vendor.gate"(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32>
  %1 = "vendor.gate"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
