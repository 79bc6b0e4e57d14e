// RUN: sinter-opt %s | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --mlir-print-op-generic | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --emit-bytecode | sinter-opt | FileCheck %s

// The schedule, with all that it may leave out.

// CHECK-LABEL: tloop.kernel private @scheduled
// CHECK-SAME: layouts = [#tloop.layout<(d0, d1) -> (d0 floordiv 8, d1, d0 mod 8)>, unit]
// CHECK-SAME: roles = ["constant"]
// CHECK-SAME: schedule = #tloop.schedule<
// CHECK-SAME: grid = [#tloop.axis<extent = 16, tile = 4, iters = [0, -1]>]
// CHECK-SAME: stages = [#tloop.stage<order = [0, 1], vector = 1, lanes = 8, vectors = 2, rows = 0, row_tile = 4, unroll = 2, reduction_tile = [8]>
// CHECK-SAME: #tloop.stage<order = [0], lanes = 1, vectors = 1, row_tile = 1, unroll = 1, reduction_tile = []>]>
tloop.kernel private @scheduled(%x: tensor<16x16xf32>) -> tensor<16xf32> attributes {
  roles = ["constant"],
  layouts = [#tloop.layout<(d0, d1) -> (d0 floordiv 8, d1, d0 mod 8)>, unit],
  schedule = #tloop.schedule<
    grid = [#tloop.axis<extent = 16, tile = 4, iters = [0, -1]>],
    stages = [
      #tloop.stage<order = [0, 1], vector = 1, lanes = 8, vectors = 2, rows = 0, row_tile = 4, unroll = 2, reduction_tile = [8]>,
      #tloop.stage<order = [0], lanes = 1, vectors = 1, row_tile = 1, unroll = 1, reduction_tile = []>]>
} {
  %s = tloop.nest domain [16, 16] kinds ["parallel", "reduction"] ins(%x : tensor<16x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] combine ["add"] init [0.0] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } writes [affine_map<(d0, d1) -> (d0)>] -> tensor<16xf32>
  %y = tloop.nest domain [16] kinds ["parallel"] ins(%s : tensor<16xf32>) maps [affine_map<(d0) -> (d0)>] body {
  ^bb0(%a: f32):
    %0 = arith.negf %a : f32
    tloop.yield %0 : f32
  } writes [affine_map<(d0) -> (d0)>] -> tensor<16xf32>
  tloop.return %y : tensor<16xf32>
}

// A register tile of three rows at each of four points of a second iterator.

// CHECK-LABEL: func.func private @jammed
// CHECK-SAME: #tloop.stage<order = [1, 0, 2], vector = 2, lanes = 8, vectors = 1, rows = 0, row_tile = 3, jam = 1, jam_tile = 4, unroll = 1, reduction_tile = []>
func.func private @jammed() attributes {
  test.a = #tloop.stage<order = [1, 0, 2], vector = 2, lanes = 8, vectors = 1, rows = 0, row_tile = 3, jam = 1, jam_tile = 4, unroll = 1, reduction_tile = []>
}
