// RUN: sinter-opt %s --tloop-schedule="rows=3 vectors=2 tiles=16;0" | FileCheck %s
// RUN: sinter-opt %s --tloop-schedule --tloop-schedule="rows=5 replace=true" | FileCheck %s --check-prefix=AGAIN
// RUN: sinter-opt %s --tloop-schedule --tloop-schedule="rows=1" | FileCheck %s --check-prefix=KEPT
// RUN: not sinter-opt %s --tloop-schedule="tiles=1;1;1" 2>&1 | FileCheck %s --check-prefix=AXES
// RUN: not sinter-opt %s --tloop-schedule="tiles=65" 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: not sinter-opt %s --tloop-schedule="vectors=9223372036854775807 replace=true" 2>&1 | FileCheck %s --check-prefix=UNITS
// RUN: sinter-opt %s --tloop-schedule="tiles=16;64 rows=3" --test-print-price 2>&1 -o %t | FileCheck %s --check-prefix=PRICE

// Sizes that are given by hand stand in the schedule, and the price is that of the schedule.

// CHECK: grid = [#tloop.axis<extent = 64, tile = 16,
// CHECK-SAME: vectors = 2, rows = 0, row_tile = 3
// AGAIN: row_tile = 5
// KEPT-NOT: row_tile = 1,
// UNITS: error: {{.*}}9223372036854775807 vectors are no register tile: give at most 1024 [no-such-tile]
// AXES: error: {{.*}}3 tiles are given for 2 grid axes [no-such-tile]
// TILE: error: {{.*}}'65' is no tile of an axis of 64 [no-such-tile]
// PRICE: @matmul: {{[0-9.]+}} ns on host: launch {{.*}} 4 blocks
tloop.kernel @matmul(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32>
    attributes {roles = ["input", "constant"]} {
  %y = tloop.contract domain [64, 64, 64] kinds ["parallel", "parallel", "reduction"]
    ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>)
    maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>]
    writes [affine_map<(d0, d1, d2) -> (d0, d1)>] -> tensor<64x64xf32>
  tloop.return %y : tensor<64x64xf32>
}
