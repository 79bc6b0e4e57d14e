// RUN: sinter-opt %s --tloop-apply-layouts | FileCheck %s

// A permuted slot gets its physical shape; accesses go through the layout.

// CHECK: #[[$ID:.+]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-LABEL: tloop.kernel @relu(%{{.+}}: tensor<4x6x5xf32>) -> tensor<4x6x5xf32>
// CHECK-SAME: layouts = [#tloop.layout<(d0, d1, d2) -> (d1, d2, d0)>, #tloop.layout<(d0, d1, d2) -> (d1, d2, d0)>]
// CHECK-SAME: tloop.physical
// CHECK: tloop.nest domain [4, 6, 5]
// CHECK-SAME: maps [#[[$ID]]]
// CHECK: writes [#[[$ID]]] -> tensor<4x6x5xf32>
tloop.kernel @relu(%x: tensor<5x4x6xf32>) -> tensor<5x4x6xf32>
    attributes {roles = ["input"],
                layouts = [#tloop.layout<(d0, d1, d2) -> (d1, d2, d0)>, #tloop.layout<(d0, d1, d2) -> (d1, d2, d0)>]} {
  %y = tloop.nest domain [5, 4, 6] kinds ["parallel", "parallel", "parallel"]
    ins(%x : tensor<5x4x6xf32>) maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
    body {
    ^bb0(%a: f32):
      %0 = math.absf %a : f32
      tloop.yield %0 : f32
    } writes [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] -> tensor<5x4x6xf32>
  tloop.return %y : tensor<5x4x6xf32>
}
