// RUN: sinter-opt %s --graph-fuse=policy=none | FileCheck %s

// A composite is one kernel whatever the policy; two of one name are two units.

// CHECK: graph.group @k0_sigmoid_mul(
// CHECK: graph.group @k1_relu(
// CHECK: graph.group @k2_sigmoid_mul(
// CHECK-NOT: graph.group
func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.composite "my.gate" (%x : tensor<64x64xf32>) {
  ^bb0(%a: tensor<64x64xf32>):
    %g = graph.sigmoid %a : tensor<64x64xf32>
    %m = graph.mul %a, %g : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    graph.yield %m : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  %1 = graph.relu %0 : tensor<64x64xf32>
  %2 = graph.composite "my.gate" (%1 : tensor<64x64xf32>) {
  ^bb0(%a: tensor<64x64xf32>):
    %g = graph.sigmoid %a : tensor<64x64xf32>
    %m = graph.mul %a, %g : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    graph.yield %m : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}
