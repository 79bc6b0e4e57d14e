// RUN: sinter-opt %s --tloop-online-softmax=chunk=6 | FileCheck %s
// RUN: sinter-opt %s --tloop-online-softmax=chunk=5 | FileCheck %s --check-prefix=WHOLE

// Two chunks of six columns; the second rescales what the first left.

// CHECK: affine_map<(d0, d1, d2) -> (d1 + 6, d2)>
// CHECK-LABEL: tloop.kernel @attention
// CHECK: tloop.contract domain [5, 6, 8]
// CHECK: %[[M0:.+]] = tloop.nest domain [5, 6] kinds ["parallel", "reduction"]
// CHECK: tloop.nest domain [5, 6] kinds ["parallel", "parallel"]
// CHECK: math.exp
// CHECK: %[[L0:.+]] = tloop.nest domain [5, 6] kinds ["parallel", "reduction"]
// CHECK: %[[O0:.+]] = tloop.contract domain [5, 7, 6]
// CHECK: tloop.contract domain [5, 6, 8]
// CHECK: %[[M1:.+]] = tloop.nest domain [5, 6] kinds ["parallel", "reduction"]
// CHECK: finish ins(%[[M0]] :
// CHECK: arith.maximumf
// CHECK: %[[L1:.+]]:2 = tloop.nest domain [5, 6] kinds ["parallel", "reduction"]
// CHECK: finish ins(%[[L0]], %[[M0]], %[[M1]] :
// CHECK: math.exp
// CHECK: tloop.contract domain [5, 7, 6]
// CHECK: finish ins(%[[L1]]#0, %[[O0]], %[[L1]]#1 :
// CHECK: arith.divf

// A chunk has to divide the row.

// WHOLE-NOT: domain [5, 5
// WHOLE: tloop.contract domain [5, 7, 12]
tloop.kernel @attention(%q: tensor<5x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x7xf32>) -> tensor<5x7xf32>
    attributes {roles = ["input", "input", "input"]} {
  %s = tloop.contract domain [5, 12, 8] kinds ["parallel", "parallel", "reduction"]
    ins(%q, %k : tensor<5x8xf32>, tensor<12x8xf32>)
    maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>]
    writes [affine_map<(d0, d1, d2) -> (d0, d1)>] -> tensor<5x12xf32>
  %m = tloop.nest domain [5, 12] kinds ["parallel", "reduction"]
    ins(%s : tensor<5x12xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>]
    combine ["max"] init [0xFFF0000000000000 : f64]
    body {
    ^bb0(%a: f32):
      tloop.yield %a : f32
    } writes [affine_map<(d0, d1) -> (d0)>] -> tensor<5xf32>
  %l = tloop.nest domain [5, 12] kinds ["parallel", "reduction"]
    ins(%s, %m : tensor<5x12xf32>, tensor<5xf32>)
    maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
    combine ["add"] init [0.0]
    body {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.subf %a, %b : f32
      %1 = math.exp %0 : f32
      tloop.yield %1 : f32
    } writes [affine_map<(d0, d1) -> (d0)>] -> tensor<5xf32>
  %p = tloop.nest domain [5, 12] kinds ["parallel", "parallel"]
    ins(%s, %m, %l : tensor<5x12xf32>, tensor<5xf32>, tensor<5xf32>)
    maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>]
    body {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %0 = arith.subf %a, %b : f32
      %1 = math.exp %0 : f32
      %2 = arith.divf %1, %c : f32
      tloop.yield %2 : f32
    } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<5x12xf32>
  %y = tloop.contract domain [5, 7, 12] kinds ["parallel", "parallel", "reduction"]
    ins(%p, %v : tensor<5x12xf32>, tensor<12x7xf32>)
    maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>]
    writes [affine_map<(d0, d1, d2) -> (d0, d1)>] -> tensor<5x7xf32>
  tloop.return %y : tensor<5x7xf32>
}
