// RUN: sinter-opt %s --tloop-coalesce | FileCheck %s

// Iterators are merged only where every access agrees: the last one is indexed by itself.

// CHECK-LABEL: tloop.kernel @bias(%{{.+}}: tensor<24x20xf32>, %{{.+}}: tensor<20xf32>) -> tensor<24x20xf32>
// CHECK: tloop.nest domain [24, 20] kinds ["parallel", "parallel"]
tloop.kernel @bias(%x: tensor<4x6x20xf32>, %b: tensor<20xf32>) -> tensor<4x6x20xf32>
    attributes {roles = ["input", "constant"]} {
  %y = tloop.nest domain [4, 6, 20] kinds ["parallel", "parallel", "parallel"]
    ins(%x, %b : tensor<4x6x20xf32>, tensor<20xf32>)
    maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>]
    body {
    ^bb0(%a: f32, %c: f32):
      %0 = arith.addf %a, %c : f32
      tloop.yield %0 : f32
    } writes [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] -> tensor<4x6x20xf32>
  tloop.return %y : tensor<4x6x20xf32>
}
