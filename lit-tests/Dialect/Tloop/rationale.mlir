// RUN: sinter-opt %s --split-input-file --verify-diagnostics

// Nests that linalg.generic does not take, and tloop.nest does: the cases of the dialect's rationale.

// A read outside the operand.

tloop.kernel @shifted(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = tloop.nest domain [8] kinds ["parallel"] ins(%x : tensor<8xf32>) maps [affine_map<(d0) -> (d0 - 1)>] pads [0.0] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } writes [affine_map<(d0) -> (d0)>] -> tensor<8xf32>
  tloop.return %y : tensor<8xf32>
}

func.func @linalg_shifted(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{unexpected result less than 0 at expression #0}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 - 1)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A window whose extent no operand has.

tloop.kernel @window(%x: tensor<8xf32>) -> tensor<6xf32> {
  %y = tloop.nest domain [6, 3] kinds ["parallel", "reduction"] ins(%x : tensor<8xf32>) maps [affine_map<(d0, d1) -> (d0 + d1)>] combine ["max"] init [-1.0e+30] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } writes [affine_map<(d0, d1) -> (d0)>] -> tensor<6xf32>
  tloop.return %y : tensor<6xf32>
}

func.func @linalg_window(%x: tensor<8xf32>, %y: tensor<6xf32>) -> tensor<6xf32> {
  // expected-error @below {{invalid indexing maps are non-invertible}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 + d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8xf32>) outs(%y : tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

// A write to every second element.

tloop.kernel @strided(%whole: tensor<8xi64>) -> tensor<8xi64> {
  %y = tloop.nest domain [4] kinds ["parallel"] body {
    %i = tloop.index 0 : i64
    tloop.yield %i : i64
  } outs(%whole : tensor<8xi64>) writes [affine_map<(d0) -> (d0 * 2)>] -> tensor<8xi64>
  tloop.return %y : tensor<8xi64>
}

func.func @linalg_strided(%whole: tensor<8xi64>) -> tensor<8xi64> {
  // expected-error @below {{invalid indexing maps are non-invertible}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 * 2)>], iterator_types = ["parallel"]} outs(%whole : tensor<8xi64>) {
  ^bb0(%a: i64):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i64
    linalg.yield %j : i64
  } -> tensor<8xi64>
  return %0 : tensor<8xi64>
}
