// RUN: sinter-opt %s --split-input-file --verify-diagnostics

// Index maps.

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{'graph.transpose' op [0, 0] is not a permutation of the dimensions of tensor<2x3xf32>}}
  %0 = graph.transpose %x perm [0, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{'graph.transpose' op [0] is not a permutation of the dimensions of tensor<2x3xf32>}}
  %0 = graph.transpose %x perm [0] : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{'graph.transpose' op result 0 is tensor<2x3xf32>, but the operator gives tensor<3x2xf32>}}
  %0 = graph.transpose %x perm [1, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{'graph.reshape' op tensor<2x3xf32> has 6 elements, which do not fill the shape [7]}}
  %0 = graph.reshape %x shape [7] : tensor<2x3xf32> -> tensor<7xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{'graph.reshape' op result 0 is tensor<3x2xf32>, but the operator gives tensor<6xf32>}}
  %0 = graph.reshape %x shape [6] : tensor<2x3xf32> -> tensor<3x2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{'graph.expand' op shapes [2, 3] and [4, 3] do not broadcast}}
  %0 = graph.expand %x shape [4, 3] : tensor<2x3xf32> -> tensor<4x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{'graph.slice' op starts has 1 entries for 2 dimensions}}
  %0 = graph.slice %x starts [0] sizes [1, 1] steps [1, 1] : tensor<2x3xf32> -> tensor<1x1xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{'graph.slice' op elements 2 to 3 of dimension 1 are not all inside tensor<2x3xf32>}}
  %0 = graph.slice %x starts [0, 2] sizes [1, 2] steps [1, 1] : tensor<2x3xf32> -> tensor<1x2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{'graph.slice' op step of dimension 1 is zero}}
  %0 = graph.slice %x starts [0, 0] sizes [1, 2] steps [1, 0] : tensor<2x3xf32> -> tensor<1x2xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x3xf32>) {
  // expected-error @below {{'graph.concat' op tensor<2x3xf32> and tensor<3x3xf32> differ outside axis 1}}
  %0 = graph.concat %a, %b axis 1 : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error @below {{'graph.concat' op axis 2 is not a dimension of a tensor of rank 2}}
  %0 = graph.concat %a, %b axis 2 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'graph.pad' op attribute 'mode' failed to satisfy constraint: string attribute one of constant, reflect, edge, wrap}}
  %0 = graph.pad mirror %x low [0, 1] high [0, 1] value 0.0 : tensor<4x8xf32> -> tensor<4x10xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'graph.pad' op low has 1 entries for 2 dimensions}}
  %0 = graph.pad constant %x low [0] high [0, 1] value 0.0 : tensor<4x8xf32> -> tensor<4x9xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'graph.pad' op reflect padding of dimension 0 of tensor<4x8xf32> must be at most 3}}
  %0 = graph.pad reflect %x low [4, 0] high [0, 0] value 0.0 : tensor<4x8xf32> -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %i: tensor<2xi64>) {
  // expected-error @below {{'graph.gather' op axis 2 is not a dimension of a tensor of rank 2}}
  %0 = graph.gather %x, %i axis 2 : (tensor<4x8xf32>, tensor<2xi64>) -> tensor<4x2xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %i: tensor<2xf32>) {
  // expected-error @below {{'graph.gather' op operand #1 must be ranked tensor of 64-bit signless integer or 32-bit signless integer values, but got 'tensor<2xf32>'}}
  %0 = graph.gather %x, %i axis 1 : (tensor<4x8xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %i: tensor<2xi64>) {
  // expected-error @below {{'graph.gather_elements' op indices tensor<2xi64> reach outside tensor<4x8xf32>}}
  %0 = graph.gather_elements %x, %i axis 1 : (tensor<4x8xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>) {
  // expected-error @below {{'graph.resize' op shape has 3 entries for 4 dimensions}}
  %0 = graph.resize nearest %x shape [4, 16, 16] coordinates asymmetric rounding floor : tensor<1x4x8x8xf32> -> tensor<4x16x16xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>) {
  // expected-error @below {{'graph.resize' op attribute 'mode' failed to satisfy constraint: string attribute one of nearest, linear, cubic}}
  %0 = graph.resize area %x shape [1, 4, 16, 16] coordinates asymmetric rounding floor : tensor<1x4x8x8xf32> -> tensor<1x4x16x16xf32>
  return
}
