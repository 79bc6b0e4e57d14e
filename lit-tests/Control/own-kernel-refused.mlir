// RUN: split-file %s %t
// RUN: not sinter-opt %t/wrong.mlir --graph-fuse 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not sinter-opt %t/function.mlir --graph-fuse 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: not sinter-opt %t/shape.mlir --graph-fuse 2>&1 | FileCheck %s --check-prefix=SHAPE

// A kernel must compute what its unit means, be one, and take the unit's operands.

// WRONG: kernel '@twice' is not 'my.twice': with the random operands of seed 0, element 0 of result 0 is
// FUNCTION: kernel '@twice' is a 'func.func'; only a 'tloop.kernel' can be compiled
// SHAPE: kernel '@twice' takes tensor<8xf32>, but the unit tensor<4xf32>

//--- wrong.mlir
#map = affine_map<(d0) -> (d0)>
tloop.kernel @twice(%x: tensor<4xf32>) -> tensor<4xf32> attributes {roles = ["input"]} {
  %y = tloop.nest domain [4] kinds ["parallel"] ins(%x : tensor<4xf32>) maps [#map] body {
  ^bb0(%a: f32):
    %0 = arith.mulf %a, %a : f32
    tloop.yield %0 : f32
  } writes [#map] -> tensor<4xf32>
  tloop.return %y : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.composite "my.twice" (%x : tensor<4xf32>) kernel @twice {
  ^bb0(%a: tensor<4xf32>):
    %0 = graph.add %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    graph.yield %0 : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

//--- function.mlir
func.func private @twice(tensor<4xf32>) -> tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.composite "my.twice" (%x : tensor<4xf32>) kernel @twice {
  ^bb0(%a: tensor<4xf32>):
    %0 = graph.add %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    graph.yield %0 : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

//--- shape.mlir
#map = affine_map<(d0) -> (d0)>
tloop.kernel @twice(%x: tensor<8xf32>) -> tensor<8xf32> attributes {roles = ["input"]} {
  %y = tloop.nest domain [8] kinds ["parallel"] ins(%x : tensor<8xf32>) maps [#map] body {
  ^bb0(%a: f32):
    %0 = arith.addf %a, %a : f32
    tloop.yield %0 : f32
  } writes [#map] -> tensor<8xf32>
  tloop.return %y : tensor<8xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.composite "my.twice" (%x : tensor<4xf32>) kernel @twice {
  ^bb0(%a: tensor<4xf32>):
    %0 = graph.add %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    graph.yield %0 : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
