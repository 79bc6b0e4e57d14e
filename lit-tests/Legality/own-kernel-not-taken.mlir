// RUN: sinter-opt %s --graph-fuse --remark-policy=all --remark-format=emitRemark --remarks-filter=graph-fuse 2>&1 | FileCheck %s

// The kernel divides by an exponential and multiplies by it again, for nothing.

// CHECK: remark: {{.*}}[Missed] own-kernel-not-taken | Category:graph-fuse
// CHECK-SAME: the program takes {{[0-9.]+}} us with @fourth_power, {{[0-9.]+}} us with the operators of my.fourth_power
// CHECK-SAME: if @fourth_power took {{[0-9.]+}} us less
// CHECK-NOT: tloop.kernel
// CHECK-NOT: graph.composite
#map = affine_map<(d0) -> (d0)>
tloop.kernel @fourth_power(%x: tensor<65536xf32>) -> tensor<65536xf32> attributes {roles = ["input"]} {
  %y = tloop.nest domain [65536] kinds ["parallel"] ins(%x : tensor<65536xf32>) maps [#map] body {
  ^bb0(%a: f32):
    %0 = math.exp %a : f32
    %1 = arith.divf %a, %0 : f32
    %2 = arith.mulf %1, %0 : f32
    %3 = arith.mulf %2, %2 : f32
    %4 = arith.mulf %3, %3 : f32
    tloop.yield %4 : f32
  } writes [#map] -> tensor<65536xf32>
  tloop.return %y : tensor<65536xf32>
}

func.func @main(%x: tensor<65536xf32>) -> tensor<65536xf32> {
  %y = graph.composite "my.fourth_power" (%x : tensor<65536xf32>) kernel @fourth_power {
  ^bb0(%a: tensor<65536xf32>):
    %0 = graph.mul %a, %a : (tensor<65536xf32>, tensor<65536xf32>) -> tensor<65536xf32>
    %1 = graph.mul %0, %0 : (tensor<65536xf32>, tensor<65536xf32>) -> tensor<65536xf32>
    graph.yield %1 : tensor<65536xf32>
  } -> tensor<65536xf32> loc("power")
  return %y : tensor<65536xf32>
}
