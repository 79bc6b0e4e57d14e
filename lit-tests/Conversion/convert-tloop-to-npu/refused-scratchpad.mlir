// RUN: sinter-opt %s --convert-tloop-to-npu=device=ascend-910b --split-input-file --verify-diagnostics

// expected-error @below {{kernel 'unscheduled' has no schedule: run tloop-schedule}}
module {
  tloop.kernel @unscheduled(%x: tensor<4xf32>) -> tensor<4xf32> attributes {roles = ["input"]} {
    %y = tloop.nest domain [4] kinds ["parallel"]
      ins(%x : tensor<4xf32>) maps [affine_map<(d0) -> (d0)>]
      body {
      ^bb0(%a: f32):
        tloop.yield %a : f32
      } writes [affine_map<(d0) -> (d0)>] -> tensor<4xf32>
    tloop.return %y : tensor<4xf32>
  }
}
