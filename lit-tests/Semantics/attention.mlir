// REQUIRES: sinter
// RUN: %python %S/../Inputs/levels.py %s %t | FileCheck %s

// Attention with a scale and a mask, its extents odd: scores, softmax and mix are one kernel.

// CHECK: host graph: agrees
// CHECK-NEXT: host group: agrees
// CHECK-NEXT: host tloop: agrees
// CHECK-NEXT: host npu: agrees
// CHECK-NEXT: ascend-910b graph: agrees
// CHECK-NEXT: ascend-910b group: agrees
// CHECK-NEXT: ascend-910b tloop: agrees
// CHECK-NEXT: ascend-910b npu: agrees

func.func @main(%q: tensor<2x11x8xf32> {graph.name = "q"}, %k: tensor<2x13x8xf32> {graph.name = "k"},
                %v: tensor<2x13x8xf32> {graph.name = "v"}, %mask: tensor<13xf32> {graph.name = "mask"})
    -> (tensor<2x11x8xf32> {graph.name = "y"}) {
  %scale = graph.constant dense<0.35> : tensor<f32>
  %t = graph.transpose %k perm [0, 2, 1] : tensor<2x13x8xf32> -> tensor<2x8x13xf32>
  %s = graph.matmul %q, %t : (tensor<2x11x8xf32>, tensor<2x8x13xf32>) -> tensor<2x11x13xf32>
  %scaled = graph.mul %s, %scale : (tensor<2x11x13xf32>, tensor<f32>) -> tensor<2x11x13xf32>
  %masked = graph.add %scaled, %mask : (tensor<2x11x13xf32>, tensor<13xf32>) -> tensor<2x11x13xf32>
  %p = graph.softmax %masked axis 2 : tensor<2x11x13xf32>
  %y = graph.matmul %p, %v : (tensor<2x11x13xf32>, tensor<2x13x8xf32>) -> tensor<2x11x8xf32>
  return %y : tensor<2x11x8xf32>
}
