// RUN: sinter-opt %s --split-input-file --verify-diagnostics

// Nests: bodies, finishes, destinations.

tloop.kernel @k(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // expected-error @below {{'tloop.nest' op has 2 body arguments for 1 values given to it}}
  %y = tloop.nest domain [4, 16] kinds ["parallel", "parallel"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] body {
  ^bb0(%a: f32, %b: f32):
    tloop.yield %a : f32
  } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4x16xf32>
  tloop.return %y : tensor<4x16xf32>
}

// -----

tloop.kernel @k(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // expected-error @below {{'tloop.nest' op body argument 0 is 'f64', but must be 'f32'}}
  %y = tloop.nest domain [4, 16] kinds ["parallel", "parallel"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] body {
  ^bb0(%a: f64):
    tloop.yield %a : f64
  } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4x16xf32>
  tloop.return %y : tensor<4x16xf32>
}

// -----

tloop.kernel @k(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // expected-error @below {{'tloop.nest' op has 2 values for 1 write maps}}
  %y = tloop.nest domain [4, 16] kinds ["parallel", "parallel"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] body {
  ^bb0(%a: f32):
    tloop.yield %a, %a : f32, f32
  } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4x16xf32>
  tloop.return %y : tensor<4x16xf32>
}

// -----

tloop.kernel @k(%x: tensor<4x16xf32>) -> tensor<4x16xf64> {
  // expected-error @below {{'tloop.nest' op written value 0 is 'f32', but must be 'f64'}}
  %y = tloop.nest domain [4, 16] kinds ["parallel", "parallel"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4x16xf64>
  tloop.return %y : tensor<4x16xf64>
}

// -----

tloop.kernel @k(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // expected-error @below {{'tloop.nest' op finish argument 0 is 'f64', but must be 'f32'}}
  %y = tloop.nest domain [4, 16] kinds ["parallel", "parallel"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } finish {
  ^bb0(%a: f64):
    tloop.yield %a : f64
  } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4x16xf32>
  tloop.return %y : tensor<4x16xf32>
}

// -----

tloop.kernel @k(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // expected-error @below {{'tloop.nest' op has 1 finish arguments for 2 values given to it}}
  %y = tloop.nest domain [4, 16] kinds ["parallel", "parallel"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } finish ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4x16xf32>
  tloop.return %y : tensor<4x16xf32>
}

// -----

tloop.kernel @k(%x: tensor<4x16xf32>) -> tensor<4xf32> {
  // expected-error @below {{'tloop.nest' op finish map 0 uses the reduction iterator 1}}
  %y = tloop.nest domain [4, 16] kinds ["parallel", "reduction"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] combine ["add"] init [0.0] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } finish ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%a: f32, %b: f32):
    tloop.yield %a : f32
  } writes [affine_map<(d0, d1) -> (d0)>] -> tensor<4xf32>
  tloop.return %y : tensor<4xf32>
}

// -----

tloop.kernel @k(%x: tensor<4x16xf32>, %d: tensor<4x32xf32>) -> tensor<4x32xf32> {
  // expected-error @below {{'tloop.nest' op has 1 write maps for 2 destinations}}
  %y = tloop.nest domain [4, 16] kinds ["parallel", "parallel"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } outs(%d, %d : tensor<4x32xf32>, tensor<4x32xf32>) writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4x32xf32>
  tloop.return %y : tensor<4x32xf32>
}

// -----

tloop.kernel @k(%x: tensor<4x16xf32>, %d: tensor<4x32xf32>) -> tensor<4x16xf32> {
  // expected-error @below {{'tloop.nest' op result 0 is 'tensor<4x16xf32>', but must be 'tensor<4x32xf32>'}}
  %y = tloop.nest domain [4, 16] kinds ["parallel", "parallel"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } outs(%d : tensor<4x32xf32>) writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4x16xf32>
  tloop.return %y : tensor<4x16xf32>
}

// -----

tloop.kernel @k(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // expected-error @below {{'tloop.nest' op the body reads iterator d2, which does not exist}}
  %y = tloop.nest domain [4, 16] kinds ["parallel", "parallel"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] body {
  ^bb0(%a: f32):
    %i = tloop.index 2 : i64
    tloop.yield %a : f32
  } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4x16xf32>
  tloop.return %y : tensor<4x16xf32>
}

// -----

func.func @f() {
  // expected-error @below {{'tloop.index' op is not inside a nest}}
  %i = tloop.index 0 : i64
  return
}

// -----

func.func @f(%x: f32) {
  // expected-error @below {{'tloop.yield' op expects parent op to be one of 'tloop.nest, tloop.contract, tloop.carry, tloop.tile'}}
  tloop.yield %x : f32
}
