// REQUIRES: sinter
// RUN: %python %S/../Inputs/online.py %s %t 4 | FileCheck %s

// An attention in three chunks of four columns: each has scores, maximum, exponentials, sum and mix.

// CHECK: host: 15 stages, agrees
// CHECK-NEXT: ascend-910b: 15 stages, agrees

func.func @main(%q: tensor<2x11x8xf32> {graph.name = "q"}, %k: tensor<2x12x8xf32> {graph.name = "k"},
                %v: tensor<2x12x8xf32> {graph.name = "v"}, %mask: tensor<12xf32> {graph.name = "mask"})
    -> (tensor<2x11x8xf32> {graph.name = "y"}) {
  %t = graph.transpose %k perm [0, 2, 1] : tensor<2x12x8xf32> -> tensor<2x8x12xf32>
  %s = graph.matmul %q, %t : (tensor<2x11x8xf32>, tensor<2x8x12xf32>) -> tensor<2x11x12xf32>
  %masked = graph.add %s, %mask : (tensor<2x11x12xf32>, tensor<12xf32>) -> tensor<2x11x12xf32>
  %p = graph.softmax %masked axis 2 : tensor<2x11x12xf32>
  %y = graph.matmul %p, %v : (tensor<2x11x12xf32>, tensor<2x12x8xf32>) -> tensor<2x11x8xf32>
  return %y : tensor<2x11x8xf32>
}
