// RUN: sinter-opt %s --sinter-graph-to-tloop | FileCheck %s
// RUN: sinter-opt %s --sinter-graph-to-tloop=device=ascend-910b | FileCheck %s

// Groups become scheduled kernels of few stages: the activation is part of the sum's.

// CHECK-LABEL: tloop.kernel @add_relu
// CHECK-SAME: schedule = #tloop.schedule<
// CHECK-COUNT-1: tloop.nest
// CHECK: arith.addf
// CHECK: arith.maximumf
// CHECK-NOT: tloop.nest
// CHECK-LABEL: func.func @main
// CHECK: tloop.launch @add_relu
func.func @main(%x: tensor<4x64xf32>, %b: tensor<64xf32>) -> tensor<4x64xf32> {
  %y = graph.group @add_relu(%x, %b : tensor<4x64xf32>, tensor<64xf32>) {
  ^bb0(%a: tensor<4x64xf32>, %c: tensor<64xf32>):
    %0 = graph.add %a, %c : (tensor<4x64xf32>, tensor<64xf32>) -> tensor<4x64xf32>
    %1 = graph.relu %0 : tensor<4x64xf32>
    graph.yield %1 : tensor<4x64xf32>
  } -> tensor<4x64xf32>
  return %y : tensor<4x64xf32>
}
