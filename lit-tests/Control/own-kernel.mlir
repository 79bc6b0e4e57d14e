// RUN: sinter-opt %s --graph-fuse | FileCheck %s --check-prefix=FUSED
// RUN: sinter-opt %s --graph-fuse --convert-graph-to-tloop | FileCheck %s --check-prefix=TLOOP
// RUN: sinter-opt %s --graph-fuse=numerics=rounding | FileCheck %s --check-prefix=LIMIT

// The operators compute the exponential twice, the kernel once. It is one kernel with what is around it.

// FUSED: tloop.kernel @decay(
// FUSED: graph.group @k0_{{.*}}graph_composite
// FUSED: graph.composite "my.decay"
// FUSED-SAME: kernel @decay
// FUSED: graph.exp
// FUSED: graph.yield
// FUSED: graph.relu
// FUSED-NOT: graph.group

// Lowered, it is a part of the group's kernel.

// TLOOP-NOT: @decay
// TLOOP: tloop.kernel @k0_
// TLOOP: math.exp
// TLOOP-NOT: math.exp
// TLOOP: tloop.launch @k0_

// Below its numerics class it is not taken.

// LIMIT: graph.refusals = [#graph.decision<"own-kernel-not-taken", nodes = ["decay"]
// LIMIT-SAME: own kernels are reassociating, the limit is rounding
// LIMIT-NOT: graph.composite
#map = affine_map<(d0) -> (d0)>
tloop.kernel @decay(%x: tensor<65536xf32>) -> tensor<65536xf32> attributes {roles = ["input"]} {
  %y = tloop.nest domain [65536] kinds ["parallel"] ins(%x : tensor<65536xf32>) maps [#map] body {
  ^bb0(%a: f32):
    %0 = arith.negf %a : f32
    %1 = math.exp %0 : f32
    %2 = arith.mulf %1, %1 : f32
    tloop.yield %2 : f32
  } writes [#map] -> tensor<65536xf32>
  tloop.return %y : tensor<65536xf32>
}

func.func @main(%x: tensor<65536xf32>) -> tensor<65536xf32> {
  %y = graph.composite "my.decay" (%x : tensor<65536xf32>) kernel @decay {
  ^bb0(%a: tensor<65536xf32>):
    %0 = graph.exp %a : tensor<65536xf32>
    %1 = graph.reciprocal %0 : tensor<65536xf32>
    %2 = graph.neg %a : tensor<65536xf32>
    %3 = graph.exp %2 : tensor<65536xf32>
    %4 = graph.mul %1, %3 : (tensor<65536xf32>, tensor<65536xf32>) -> tensor<65536xf32>
    graph.yield %4 : tensor<65536xf32>
  } -> tensor<65536xf32> loc("decay")
  %z = graph.relu %y : tensor<65536xf32> loc("relu")
  return %z : tensor<65536xf32>
}
