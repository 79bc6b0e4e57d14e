// RUN: sinter-opt %s --split-input-file --verify-diagnostics

// Nests: domain, accesses, combiners.

tloop.kernel @k(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // expected-error @below {{'tloop.nest' op has 1 iterator kinds for 2 extents}}
  %y = tloop.nest domain [4, 16] kinds ["parallel"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4x16xf32>
  tloop.return %y : tensor<4x16xf32>
}

// -----

tloop.kernel @k(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // expected-error @below {{'tloop.nest' op attribute 'kinds' failed to satisfy constraint: list of parallel, reduction}}
  %y = tloop.nest domain [4, 16] kinds ["parallel", "scan"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4x16xf32>
  tloop.return %y : tensor<4x16xf32>
}

// -----

tloop.kernel @k(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // expected-error @below {{'tloop.nest' op extent 1 is negative}}
  %y = tloop.nest domain [4, -1] kinds ["parallel", "parallel"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4x16xf32>
  tloop.return %y : tensor<4x16xf32>
}

// -----

tloop.kernel @k(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // expected-error @below {{'tloop.nest' op has 0 maps for 1 operands}}
  %y = tloop.nest domain [4, 16] kinds ["parallel", "parallel"] ins(%x : tensor<4x16xf32>) maps [] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4x16xf32>
  tloop.return %y : tensor<4x16xf32>
}

// -----

tloop.kernel @k(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // expected-error @below {{'tloop.nest' op map 0 has 1 dimensions for 2 iterators}}
  %y = tloop.nest domain [4, 16] kinds ["parallel", "parallel"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0) -> (d0, d0)>] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4x16xf32>
  tloop.return %y : tensor<4x16xf32>
}

// -----

tloop.kernel @k(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // expected-error @below {{'tloop.nest' op map 0 gives 1 indices for rank 2}}
  %y = tloop.nest domain [4, 16] kinds ["parallel", "parallel"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0)>] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4x16xf32>
  tloop.return %y : tensor<4x16xf32>
}

// -----

tloop.kernel @k(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // expected-error @below {{'tloop.nest' op map 0 reaches 1..=16 of dimension 1, which has 16}}
  %y = tloop.nest domain [4, 16] kinds ["parallel", "parallel"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1 + 1)>] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4x16xf32>
  tloop.return %y : tensor<4x16xf32>
}

// -----

tloop.kernel @k(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // expected-error @below {{'tloop.nest' op has 2 pads for 1 inputs}}
  %y = tloop.nest domain [4, 16] kinds ["parallel", "parallel"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] pads [0.0, 0.0] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4x16xf32>
  tloop.return %y : tensor<4x16xf32>
}

// -----

tloop.kernel @k(%x: tensor<4x16xf32>) -> tensor<4xf32> {
  // expected-error @below {{'tloop.nest' op write map 0 uses the reduction iterator 1}}
  %y = tloop.nest domain [4, 16] kinds ["parallel", "reduction"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] combine ["add"] init [0.0] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } writes [affine_map<(d0, d1) -> (d1)>] -> tensor<4xf32>
  tloop.return %y : tensor<4xf32>
}

// -----

tloop.kernel @k(%x: tensor<4x16xf32>) -> tensor<4xf32> {
  // expected-error @below {{'tloop.nest' op has 0 combiners for 1 yielded values}}
  %y = tloop.nest domain [4, 16] kinds ["parallel", "reduction"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } writes [affine_map<(d0, d1) -> (d0)>] -> tensor<4xf32>
  tloop.return %y : tensor<4xf32>
}

// -----

tloop.kernel @k(%x: tensor<4x16xf32>) -> tensor<4xf32> {
  // expected-error @below {{'tloop.nest' op has 2 combiners for 1 yielded values}}
  %y = tloop.nest domain [4, 16] kinds ["parallel", "reduction"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] combine ["add", "add"] init [0.0, 0.0] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } writes [affine_map<(d0, d1) -> (d0)>] -> tensor<4xf32>
  tloop.return %y : tensor<4xf32>
}

// -----

tloop.kernel @k(%x: tensor<4x16xf32>) -> tensor<4xf32> {
  // expected-error @below {{'tloop.nest' op has 0 start values for 1 combiners}}
  %y = tloop.nest domain [4, 16] kinds ["parallel", "reduction"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] combine ["add"] init [] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } writes [affine_map<(d0, d1) -> (d0)>] -> tensor<4xf32>
  tloop.return %y : tensor<4xf32>
}

// -----

tloop.kernel @k(%x: tensor<4x16xf32>) -> tensor<4xf32> {
  // expected-error @below {{'tloop.nest' op attribute 'combine' failed to satisfy constraint: list of add, mul, max, min}}
  %y = tloop.nest domain [4, 16] kinds ["parallel", "reduction"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] combine ["xor"] init [0.0] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } writes [affine_map<(d0, d1) -> (d0)>] -> tensor<4xf32>
  tloop.return %y : tensor<4xf32>
}

// -----

tloop.kernel @k(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // expected-error @below {{'tloop.nest' op has combiners, but no reduction iterator}}
  %y = tloop.nest domain [4, 16] kinds ["parallel", "parallel"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] combine ["add"] init [0.0] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4x16xf32>
  tloop.return %y : tensor<4x16xf32>
}

// -----

tloop.kernel @k(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // expected-error @below {{'tloop.nest' op has 0 write maps for 1 results}}
  %y = tloop.nest domain [4, 16] kinds ["parallel", "parallel"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } writes [] -> tensor<4x16xf32>
  tloop.return %y : tensor<4x16xf32>
}

// -----

tloop.kernel @k(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // expected-error @below {{'tloop.nest' op write map 0 reaches 1..=16 of dimension 1, which has 16}}
  %y = tloop.nest domain [4, 16] kinds ["parallel", "parallel"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } writes [affine_map<(d0, d1) -> (d0, d1 + 1)>] -> tensor<4x16xf32>
  tloop.return %y : tensor<4x16xf32>
}

// -----

tloop.kernel @k(%x: tensor<4x16xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{'tloop.nest' op write map 0 reaches 0..=15 of dimension 1, which has 8}}
  %y = tloop.nest domain [4, 16] kinds ["parallel", "parallel"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] body {
  ^bb0(%a: f32):
    tloop.yield %a : f32
  } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4x8xf32>
  tloop.return %y : tensor<4x8xf32>
}
