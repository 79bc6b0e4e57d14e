// RUN: sinter-opt %s --split-input-file --verify-diagnostics

// Contractions and carries.

tloop.kernel @k(%a: tensor<8x4xf32>, %b: tensor<4x2xf32>) -> tensor<8x2xf32> {
  // expected-error @below {{'tloop.contract' op has 1 inputs for 2 factors}}
  %y = tloop.contract domain [8, 2, 4] kinds ["parallel", "parallel", "reduction"] ins(%a : tensor<8x4xf32>) maps [affine_map<(d0, d1, d2) -> (d0, d2)>] writes [affine_map<(d0, d1, d2) -> (d0, d1)>] -> tensor<8x2xf32>
  tloop.return %y : tensor<8x2xf32>
}

// -----

tloop.kernel @k(%a: tensor<8x4xf32>, %b: tensor<4x2xf16>) -> tensor<8x2xf32> {
  // expected-error @below {{'tloop.contract' op multiplies 'f32' by 'f16'}}
  %y = tloop.contract domain [8, 2, 4] kinds ["parallel", "parallel", "reduction"] ins(%a, %b : tensor<8x4xf32>, tensor<4x2xf16>) maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>] writes [affine_map<(d0, d1, d2) -> (d0, d1)>] -> tensor<8x2xf32>
  tloop.return %y : tensor<8x2xf32>
}

// -----

tloop.kernel @k(%a: tensor<8x4xf32>, %b: tensor<4x2xf32>) -> tensor<8x2xf16> {
  // expected-error @below {{'tloop.contract' op written value 0 is 'f32', but must be 'f16'}}
  %y = tloop.contract domain [8, 2, 4] kinds ["parallel", "parallel", "reduction"] ins(%a, %b : tensor<8x4xf32>, tensor<4x2xf32>) maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>] writes [affine_map<(d0, d1, d2) -> (d0, d1)>] -> tensor<8x2xf16>
  tloop.return %y : tensor<8x2xf16>
}

// -----

tloop.kernel @k(%a: tensor<8x4xf32>, %b: tensor<4x2xf32>) -> tensor<8x2xf32> {
  // expected-error @below {{'tloop.contract' op map 0 reaches 0..=4 of dimension 1, which has 4}}
  %y = tloop.contract domain [8, 2, 5] kinds ["parallel", "parallel", "reduction"] ins(%a, %b : tensor<8x4xf32>, tensor<4x2xf32>) maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>] writes [affine_map<(d0, d1, d2) -> (d0, d1)>] -> tensor<8x2xf32>
  tloop.return %y : tensor<8x2xf32>
}

// -----

tloop.kernel @k(%x: tensor<4x16xf32>) -> tensor<4xf32> {
  // expected-error @below {{'tloop.carry' op has 1 update arguments for 2 values given to it}}
  %y = tloop.carry domain [4, 16] kinds ["parallel", "reduction"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] init [0.0] update {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } merge {
  ^bb0(%m: f32, %n: f32):
    tloop.yield %m : f32
  } writes [affine_map<(d0, d1) -> (d0)>] -> tensor<4xf32>
  tloop.return %y : tensor<4xf32>
}

// -----

tloop.kernel @k(%x: tensor<4x16xf32>) -> tensor<4xf32> {
  // expected-error @below {{'tloop.carry' op has 1 start values for 2 carried values}}
  %y = tloop.carry domain [4, 16] kinds ["parallel", "reduction"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] init [0.0] update {
  ^bb0(%a: f32, %m: f32):
    tloop.yield %m, %m : f32, f32
  } merge {
  ^bb0(%m: f32, %n: f32):
    tloop.yield %m : f32
  } writes [affine_map<(d0, d1) -> (d0)>] -> tensor<4xf32>
  tloop.return %y : tensor<4xf32>
}

// -----

tloop.kernel @k(%x: tensor<4x16xf32>) -> tensor<4xf32> {
  // expected-error @below {{'tloop.carry' op has 1 merge arguments for 2 values given to it}}
  %y = tloop.carry domain [4, 16] kinds ["parallel", "reduction"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] init [0.0] update {
  ^bb0(%a: f32, %m: f32):
    tloop.yield %m : f32
  } merge {
  ^bb0(%m: f32):
    tloop.yield %m : f32
  } writes [affine_map<(d0, d1) -> (d0)>] -> tensor<4xf32>
  tloop.return %y : tensor<4xf32>
}

// -----

tloop.kernel @k(%x: tensor<4x16xf32>) -> tensor<4xf32> {
  // expected-error @below {{'tloop.carry' op has 2 start values for 1 carried values}}
  %y = tloop.carry domain [4, 16] kinds ["parallel", "reduction"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] init [0.0, 0.0] update {
  ^bb0(%a: f32, %m: f32):
    tloop.yield %m : f32
  } merge {
  ^bb0(%m: f32, %n: f32):
    tloop.yield %m : f32
  } writes [affine_map<(d0, d1) -> (d0)>] -> tensor<4xf32>
  tloop.return %y : tensor<4xf32>
}

// -----

tloop.kernel @k(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{'tloop.contract' op a contract adds, from 0}}
  %y = tloop.contract domain [8, 8, 8] kinds ["parallel", "parallel", "reduction"] ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>] init 1.000000e+00 writes [affine_map<(d0, d1, d2) -> (d0, d1)>] -> tensor<8x8xf32>
  tloop.return %y : tensor<8x8xf32>
}
