// A kernel for a unit that an ONNX model holds without a word about it: the scale, the mask and the softmax of
// models/attention.onnx.
//
//   sinter explain models/attention.onnx --own-kernels examples/own-kernel/attention.mlir
//
// The function is there for its composite, whose region says what the unit means. Where the model has these operators, with
// this constant and these types, they become the unit.

#elements = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#keys = affine_map<(d0, d1, d2, d3) -> (0, 0, 0, d3)>
#rows = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>

// A softmax subtracts the largest score of a row so that no power overflows. Whoever made the model knows that its scores stay
// below 80, and leaves out the maximum and the differences. Sinter could not: it is right for such scores only.
tloop.kernel @masked_softmax(%scores: tensor<1x2x40x48xf32>, %mask: tensor<1x1x1x48xf32>) -> tensor<1x2x40x48xf32>
    attributes {roles = ["input", "input"]} {
  %powers = tloop.nest domain [1, 2, 40, 48] kinds ["parallel", "parallel", "parallel", "parallel"]
    ins(%scores, %mask : tensor<1x2x40x48xf32>, tensor<1x1x1x48xf32>) maps [#elements, #keys]
    body {
    ^bb0(%s: f32, %m: f32):
      %scale = arith.constant 0.25 : f32
      %0 = arith.mulf %s, %scale : f32
      %1 = arith.addf %0, %m : f32
      %2 = math.exp %1 : f32
      tloop.yield %2 : f32
    } writes [#elements] -> tensor<1x2x40x48xf32>
  %weights = tloop.call @normalise(%powers) : (tensor<1x2x40x48xf32>) -> tensor<1x2x40x48xf32>
  tloop.return %weights : tensor<1x2x40x48xf32>
}

// Rows that add up to one: a kernel that others call.
tloop.kernel private @normalise(%x: tensor<1x2x40x48xf32>) -> tensor<1x2x40x48xf32> attributes {roles = ["input"]} {
  %reciprocal = tloop.nest domain [1, 2, 40, 48] kinds ["parallel", "parallel", "parallel", "reduction"]
    ins(%x : tensor<1x2x40x48xf32>) maps [#elements]
    combine ["add"] init [0.0]
    body {
    ^bb0(%a: f32):
      tloop.yield %a : f32
    } finish {
    ^bb0(%sum: f32):
      %one = arith.constant 1.0 : f32
      %0 = arith.divf %one, %sum : f32
      tloop.yield %0 : f32
    } writes [#rows] -> tensor<1x2x40xf32>
  %y = tloop.nest domain [1, 2, 40, 48] kinds ["parallel", "parallel", "parallel", "parallel"]
    ins(%x, %reciprocal : tensor<1x2x40x48xf32>, tensor<1x2x40xf32>) maps [#elements, #rows]
    body {
    ^bb0(%a: f32, %r: f32):
      %0 = arith.mulf %a, %r : f32
      tloop.yield %0 : f32
    } writes [#elements] -> tensor<1x2x40x48xf32>
  tloop.return %y : tensor<1x2x40x48xf32>
}

func.func @unit(%scores: tensor<1x2x40x48xf32>, %mask: tensor<1x1x1x48xf32>) -> tensor<1x2x40x48xf32> {
  %weights = graph.composite "my.masked_softmax" (%scores, %mask : tensor<1x2x40x48xf32>, tensor<1x1x1x48xf32>)
      kernel @masked_softmax {
  ^bb0(%s: tensor<1x2x40x48xf32>, %m: tensor<1x1x1x48xf32>):
    %scale = graph.constant dense<0.25> : tensor<f32>
    %0 = graph.mul %s, %scale : (tensor<1x2x40x48xf32>, tensor<f32>) -> tensor<1x2x40x48xf32>
    %1 = graph.add %0, %m : (tensor<1x2x40x48xf32>, tensor<1x1x1x48xf32>) -> tensor<1x2x40x48xf32>
    %2 = graph.softmax %1 axis 3 : tensor<1x2x40x48xf32>
    graph.yield %2 : tensor<1x2x40x48xf32>
  } -> tensor<1x2x40x48xf32>
  return %weights : tensor<1x2x40x48xf32>
}
