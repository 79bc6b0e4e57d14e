// RUN: sinter-opt %s --split-input-file --verify-diagnostics

// Tiles, parts, layouts, split reductions.

func.func @f() {
  // expected-error @below {{'tloop.tile' op has 1 tiles for 2 extents}}
  tloop.tile [8, 8] by [2] {
  ^bb0(%i: index, %j: index):
    tloop.yield
  }
  return
}

// -----

func.func @f() {
  // expected-error @below {{'tloop.tile' op tile 0 is not positive}}
  tloop.tile [8] by [0] {
  ^bb0(%i: index):
    tloop.yield
  }
  return
}

// -----

func.func @f() {
  // expected-error @below {{'tloop.tile' op has 2 region arguments for 1 axes and carried values}}
  tloop.tile [8] by [2] {
  ^bb0(%i: index, %j: index):
    tloop.yield
  }
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{'tloop.tile' op has 0 yielded values for 1 results}}
  %r = tloop.tile [8] by [2] carry(%x : tensor<8xf32>) {
  ^bb0(%i: index, %d: tensor<8xf32>):
    tloop.yield
  } -> tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<8x8xf32>) {
  // expected-error @below {{'tloop.extract' op has 1 offsets for 2 dimensions}}
  %t = tloop.extract %x[0] sizes [4, 4] : tensor<8x8xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<8x8xf32>) {
  // expected-error @below {{'tloop.extract' op result is 'tensor<4x8xf32>', which is not of the sizes}}
  %t = tloop.extract %x[0, 0] sizes [4, 4] : tensor<8x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%t: tensor<4xf32>, %d: tensor<8x8xf32>) {
  // expected-error @below {{'tloop.insert' op has 1 dimensions for 2 dimensions of the target}}
  %u = tloop.insert %t into %d[0, 0] : tensor<4xf32> into tensor<8x8xf32>
  return
}

// -----

func.func @f(%t: tensor<4x4xf64>, %d: tensor<8x8xf32>) {
  // expected-error @below {{'tloop.insert' op element 0 is 'f64', but must be 'f32'}}
  %u = tloop.insert %t into %d[0, 0] : tensor<4x4xf64> into tensor<8x8xf32>
  return
}

// -----

func.func @f(%x: tensor<8x8xf32>, %i: index) {
  // expected-error @below {{'tloop.read' op has 1 indices for 2 dimensions}}
  %v = tloop.read %x[%i] : tensor<8x8xf32> -> f32
  return
}

// -----

func.func @f(%x: tensor<8x8xf32>, %i: index) {
  // expected-error @below {{'tloop.read' op result 0 is 'f64', but must be 'f32'}}
  %v = tloop.read %x[%i, %i] : tensor<8x8xf32> -> f64
  return
}

// -----

func.func @f(%x: tensor<30x64xf32>) {
  // expected-error @below {{'tloop.pack' op the stored shape of tensor<30x64xf32> is [2, 64, 16], not that of 'tensor<1x64x16xf32>'}}
  %p = tloop.pack %x layout <(d0, d1) -> (d0 floordiv 16, d1, d0 mod 16)> : tensor<30x64xf32> -> tensor<1x64x16xf32>
  return
}

// -----

func.func @f(%x: tensor<30x64xf32>) {
  // expected-error @below {{'tloop.pack' op layout does not fit a tensor of rank 2}}
  %p = tloop.pack %x layout <(d0) -> (d0)> : tensor<30x64xf32> -> tensor<30x64xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'tloop.partial' op dimension 0 of 'tensor<4x8xf32>' does not number 3 parts}}
  %p = tloop.partial %x parts 3 : tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'tloop.combine' op result is 'tensor<4xf32>', but must be 'tensor<4x8xf32>' without dimension 0}}
  %p = tloop.combine add %x : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'tloop.combine' op attribute 'kind' failed to satisfy constraint: string attribute one of add, mul, max, min}}
  %p = tloop.combine sub %x : tensor<4x8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @f() {
  // expected-error @below {{'tloop.tile' op argument 1 of the region is 'i32', but must be 'index'}}
  tloop.tile [8, 8] by [2, 2] {
  ^bb0(%i: index, %j: i32):
    tloop.yield
  }
  return
}

// -----

func.func @f(%x: tensor<8x8xf32>, %i: index) {
  // expected-error @below {{'tloop.extract' op reaches from 6 to 10 along dimension 1, which has 8}}
  %t = tloop.extract %x[%i, 6] sizes [4, 4] : tensor<8x8xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%t: tensor<4x4xf32>, %d: tensor<8x8xf32>) {
  // expected-error @below {{'tloop.insert' op reaches from -1 to 3 along dimension 0, which has 8}}
  %u = tloop.insert %t into %d[-1, 0] : tensor<4x4xf32> into tensor<8x8xf32>
  return
}
