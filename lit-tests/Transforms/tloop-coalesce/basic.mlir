// RUN: sinter-opt %s --tloop-coalesce | FileCheck %s

// A pointwise kernel is one-dimensional; extents of one are gone.

// CHECK-LABEL: tloop.kernel @abs(%{{.+}}: tensor<480xf32>) -> tensor<480xf32>
// CHECK: tloop.nest domain [480] kinds ["parallel"]
// CHECK: func.func @main
// CHECK: tloop.launch @abs(%{{.+}}) : (tensor<1x4x6x20xf32>) -> tensor<1x4x6x20xf32>
tloop.kernel @abs(%x: tensor<1x4x6x20xf32>) -> tensor<1x4x6x20xf32> attributes {roles = ["input"]} {
  %y = tloop.nest domain [1, 4, 6, 20] kinds ["parallel", "parallel", "parallel", "parallel"]
    ins(%x : tensor<1x4x6x20xf32>) maps [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>]
    body {
    ^bb0(%a: f32):
      %0 = math.absf %a : f32
      tloop.yield %0 : f32
    } writes [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] -> tensor<1x4x6x20xf32>
  tloop.return %y : tensor<1x4x6x20xf32>
}
func.func @main(%x: tensor<1x4x6x20xf32>) -> tensor<1x4x6x20xf32> {
  %y = tloop.launch @abs(%x) : (tensor<1x4x6x20xf32>) -> tensor<1x4x6x20xf32>
  return %y : tensor<1x4x6x20xf32>
}
