// Weights of an attention: scores, scaled and masked, and softmax over the keys.
//
// The unit "my.masked_softmax" is a composite. Its region says what it means, as an exporter would write it; @masked_softmax
// is a kernel for it, written by hand. Sinter compares the two on random operands, prices the program with each, and takes
// the cheaper one: `sinter explain examples/own-kernel/model.mlir`.

#elements = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#pairs = affine_map<(d0, d1, d2) -> (d1, d2)>
#rows = affine_map<(d0, d1, d2) -> (d0, d1)>

// A softmax subtracts the largest score of a row so that no power overflows. Whoever made the model knows that its scores stay
// below 80, and leaves out the maximum and the differences. Sinter could not: it is right for such scores only.
tloop.kernel @masked_softmax(%scores: tensor<4x64x96xf32>, %mask: tensor<64x96xf32>) -> tensor<4x64x96xf32>
    attributes {roles = ["input", "input"]} {
  %powers = tloop.nest domain [4, 64, 96] kinds ["parallel", "parallel", "parallel"]
    ins(%scores, %mask : tensor<4x64x96xf32>, tensor<64x96xf32>) maps [#elements, #pairs]
    body {
    ^bb0(%s: f32, %m: f32):
      %scale = arith.constant 0.176776692 : f32
      %0 = arith.mulf %s, %scale : f32
      %1 = arith.addf %0, %m : f32
      %2 = math.exp %1 : f32
      tloop.yield %2 : f32
    } writes [#elements] -> tensor<4x64x96xf32>
  %reciprocal = tloop.nest domain [4, 64, 96] kinds ["parallel", "parallel", "reduction"]
    ins(%powers : tensor<4x64x96xf32>) maps [#elements]
    combine ["add"] init [0.0]
    body {
    ^bb0(%x: f32):
      tloop.yield %x : f32
    } finish {
    ^bb0(%sum: f32):
      %one = arith.constant 1.0 : f32
      %0 = arith.divf %one, %sum : f32
      tloop.yield %0 : f32
    } writes [#rows] -> tensor<4x64xf32>
  %weights = tloop.nest domain [4, 64, 96] kinds ["parallel", "parallel", "parallel"]
    ins(%powers, %reciprocal : tensor<4x64x96xf32>, tensor<4x64xf32>) maps [#elements, #rows]
    body {
    ^bb0(%x: f32, %r: f32):
      %0 = arith.mulf %x, %r : f32
      tloop.yield %0 : f32
    } writes [#elements] -> tensor<4x64x96xf32>
  tloop.return %weights : tensor<4x64x96xf32>
}

func.func @main(%scores: tensor<4x64x96xf32> {graph.name = "scores"}, %mask: tensor<64x96xf32> {graph.name = "mask"})
    -> (tensor<4x64x96xf32> {graph.name = "weights"}) {
  %weights = graph.composite "my.masked_softmax" (%scores, %mask : tensor<4x64x96xf32>, tensor<64x96xf32>)
      kernel @masked_softmax {
  ^bb0(%s: tensor<4x64x96xf32>, %m: tensor<64x96xf32>):
    %scale = graph.constant dense<0.176776692> : tensor<f32>
    %0 = graph.mul %s, %scale : (tensor<4x64x96xf32>, tensor<f32>) -> tensor<4x64x96xf32> loc("scale")
    %1 = graph.add %0, %m : (tensor<4x64x96xf32>, tensor<64x96xf32>) -> tensor<4x64x96xf32> loc("mask")
    %2 = graph.softmax %1 axis 2 : tensor<4x64x96xf32> loc("softmax")
    graph.yield %2 : tensor<4x64x96xf32>
  } -> tensor<4x64x96xf32> loc("attention_weights")
  return %weights : tensor<4x64x96xf32>
}
