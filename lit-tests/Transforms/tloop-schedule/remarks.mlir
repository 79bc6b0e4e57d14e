// RUN: sinter-opt %s --tloop-schedule --remark-policy=all --remark-format=emitRemark --remarks-filter=tloop-schedule -o /dev/null 2>&1 | FileCheck %s

// The price is an analysis remark.

// CHECK: remark: {{.*}}[Analysis] price | Category:tloop-schedule | Function=abs
// CHECK-SAME: us on host
tloop.kernel @abs(%x: tensor<64xf32>) -> tensor<64xf32> attributes {roles = ["input"]} {
  %y = tloop.nest domain [64] kinds ["parallel"]
    ins(%x : tensor<64xf32>) maps [affine_map<(d0) -> (d0)>]
    body {
    ^bb0(%a: f32):
      %0 = math.absf %a : f32
      tloop.yield %0 : f32
    } writes [affine_map<(d0) -> (d0)>] -> tensor<64xf32>
  tloop.return %y : tensor<64xf32>
}
