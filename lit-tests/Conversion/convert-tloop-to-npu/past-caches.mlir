// RUN: sinter-opt %s --split-input-file --tloop-schedule --convert-tloop-to-npu | FileCheck %s
// RUN: sinter-opt %s --split-input-file --tloop-schedule --convert-tloop-to-npu --verify-roundtrip -o /dev/null

// What is greater than the caches is stored past them, and settled before the block ends.

// CHECK-LABEL: npu.kernel @large
// CHECK: vector.store {{.+}} {alignment = [[#]] : i64, nontemporal = true}
// CHECK: llvm.fence seq_cst
// CHECK-NEXT: }
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
// CHECK-NOT: llvm.fence
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
