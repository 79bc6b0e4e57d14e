// RUN: sinter-opt %s --tloop-schedule --verify-diagnostics

// expected-error @below {{the kernel computes nothing [computes-nothing]}}
tloop.kernel @empty(%x: tensor<0xf32>) -> tensor<0xf32> attributes {roles = ["input"]} {
  %y = tloop.nest domain [0] kinds ["parallel"]
    ins(%x : tensor<0xf32>) maps [affine_map<(d0) -> (d0)>]
    body {
    ^bb0(%a: f32):
      tloop.yield %a : f32
    } writes [affine_map<(d0) -> (d0)>] -> tensor<0xf32>
  tloop.return %y : tensor<0xf32>
}
