// RUN: sinter-opt %s --split-input-file --tloop-schedule --convert-tloop-to-npu | FileCheck %s
// RUN: sinter-opt %s --split-input-file --tloop-schedule --convert-tloop-to-npu --verify-roundtrip -o /dev/null

// What is greater than the caches is stored past them. The entry point settles that when all its blocks are done.

// CHECK-LABEL: npu.kernel @large
// CHECK: vector.store {{.+}} {alignment = [[#]] : i64, nontemporal = true}
tloop.kernel @large(%x: tensor<4096x2048xf32>) -> tensor<4096x2048xf32> attributes {roles = ["input"]} {
  %y = tloop.nest domain [4096, 2048] kinds ["parallel", "parallel"]
    ins(%x : tensor<4096x2048xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>]
    body {
    ^bb0(%a: f32):
      %0 = math.absf %a : f32
      tloop.yield %0 : f32
    } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4096x2048xf32>
  tloop.return %y : tensor<4096x2048xf32>
}

// -----

// Rows that do not begin on a cache line are not: every line would be written in two parts.

// CHECK-LABEL: npu.kernel @ragged
// CHECK-NOT: nontemporal
// CHECK: npu.return
tloop.kernel @ragged(%x: tensor<4096x2049xf32>) -> tensor<4096x2049xf32> attributes {roles = ["input"]} {
  %y = tloop.nest domain [4096, 2049] kinds ["parallel", "parallel"]
    ins(%x : tensor<4096x2049xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>]
    body {
    ^bb0(%a: f32):
      %0 = math.absf %a : f32
      tloop.yield %0 : f32
    } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4096x2049xf32>
  tloop.return %y : tensor<4096x2049xf32>
}

// -----

// Of two stages that read a large operand the second one asks for its part in the next block.

// CHECK-LABEL: npu.kernel @less_the_greatest
// CHECK-NOT: memref.prefetch
// CHECK: vector.shuffle
// CHECK: memref.prefetch {{.+}}, read, locality<2>
// CHECK: arith.subf
tloop.kernel @less_the_greatest(%x: tensor<4096x2048xf32>) -> tensor<4096x2048xf32> attributes {roles = ["input"]} {
  %m = tloop.nest domain [4096, 2048] kinds ["parallel", "reduction"]
    ins(%x : tensor<4096x2048xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] combine ["max"] init [0xFFF0000000000000 : f64]
    body {
    ^bb0(%a: f32):
      tloop.yield %a : f32
    } writes [affine_map<(d0, d1) -> (d0)>] -> tensor<4096xf32>
  %y = tloop.nest domain [4096, 2048] kinds ["parallel", "parallel"]
    ins(%x, %m : tensor<4096x2048xf32>, tensor<4096xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
    body {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.subf %a, %b : f32
      tloop.yield %0 : f32
    } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4096x2048xf32>
  tloop.return %y : tensor<4096x2048xf32>
}

// -----

// Sums of columns step from page to page: eight rows at a time for all columns of a block, the sums meanwhile in the
// output.

// CHECK-LABEL: npu.kernel @columns
// CHECK: scf.for
// CHECK: vector.store
// CHECK: scf.for {{.+}} = %c0 to %c16384 step %c8
// CHECK-NEXT: scf.for
// CHECK-COUNT-8: vector.load
// CHECK: vector.store
tloop.kernel @columns(%x: tensor<16384x2048xf32>) -> tensor<2048xf32> attributes {roles = ["input"]} {
  %y = tloop.nest domain [2048, 16384] kinds ["parallel", "reduction"]
    ins(%x : tensor<16384x2048xf32>) maps [affine_map<(d0, d1) -> (d1, d0)>] combine ["add"] init [0.0]
    body {
    ^bb0(%a: f32):
      tloop.yield %a : f32
    } writes [affine_map<(d0, d1) -> (d0)>] -> tensor<2048xf32>
  tloop.return %y : tensor<2048xf32>
}
