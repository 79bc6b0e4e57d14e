// RUN: sinter-opt %s --split-input-file --verify-diagnostics

// Operators whose results depend on data, and extents.

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'graph.dim' op axis 2 is outside rank 2}}
  %0 = graph.dim %x axis 2 : tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'graph.sort' op axis 2 is outside rank 2}}
  %0, %1 = graph.sort %x axis 2 : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4x8xi64>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'graph.sort' op values are 'tensor<8x4xf32>', but must be 'tensor<4x8xf32>'}}
  %0, %1 = graph.sort %x axis 1 : tensor<4x8xf32> -> tensor<8x4xf32>, tensor<4x8xi64>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'graph.sort' op indices are 'tensor<8x4xi64>', but must have the operand's shape}}
  %0, %1 = graph.sort %x axis 1 : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<8x4xi64>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'graph.topk' op k 9 is outside the axis}}
  %0, %1 = graph.topk %x k 9 axis 1 : tensor<4x8xf32> -> tensor<4x9xf32>, tensor<4x9xi64>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'graph.topk' op values have the wrong shape: 'tensor<4x3xf32>'}}
  %0, %1 = graph.topk %x k 2 axis 1 : tensor<4x8xf32> -> tensor<4x3xf32>, tensor<4x2xi64>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'graph.nonzero' op result is 'tensor<?x2xi64>', but must be 'tensor<2x?xi64>'}}
  %0 = graph.nonzero %x : tensor<4x8xf32> -> tensor<?x2xi64>
  return
}

// -----

func.func @f() {
  // expected-error @below {{'graph.random' op attribute 'kind' failed to satisfy constraint: string attribute one of uniform, normal}}
  %0 = graph.random cauchy 0.0, 1.0 seed 1 : tensor<4xf32>
  return
}

// -----

func.func @f() {
  // expected-error @below {{'graph.random' op result #0 must be ranked tensor of 32-bit float or 64-bit float or 16-bit float or bfloat16 type values, but got 'tensor<4xi64>'}}
  %0 = graph.random uniform 0.0, 1.0 seed 1 : tensor<4xi64>
  return
}
