// RUN: sinter-opt %s --split-input-file --verify-diagnostics

// Contractions and windows.

func.func @f(%a: tensor<2x3xf32>, %b: tensor<4x5xf32>) {
  // expected-error @below {{'graph.matmul' op inner extents differ: tensor<2x3xf32> has 3, tensor<4x5xf32> has 4}}
  %0 = graph.matmul %a, %b : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @f(%a: tensor<2x2x3xf32>, %b: tensor<3x3x5xf32>) {
  // expected-error @below {{'graph.matmul' op shapes [2] and [3] do not broadcast}}
  %0 = graph.matmul %a, %b : (tensor<2x2x3xf32>, tensor<3x3x5xf32>) -> tensor<2x2x5xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x14x14xf32>, %w: tensor<16x8x3x3xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{'graph.conv' op strides has 1 entries for 2 dimensions}}
  %0 = graph.conv %x, %w strides [1] pads [1, 1, 1, 1] dilations [1, 1] groups 1 : (tensor<1x8x14x14xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x14x14xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x14x14xf32>, %w: tensor<16x8x3x3xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{'graph.conv' op pads has 2 entries instead of 4}}
  %0 = graph.conv %x, %w strides [1, 1] pads [1, 1] dilations [1, 1] groups 1 : (tensor<1x8x14x14xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x14x14xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x14x14xf32>, %w: tensor<16x8x3x3xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{'graph.conv' op strides must be positive}}
  %0 = graph.conv %x, %w strides [0, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1 : (tensor<1x8x14x14xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x14x14xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x14x14xf32>, %w: tensor<16x8x3x3xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{'graph.conv' op input tensor<1x8x14x14xf32> has 8 channels, but weights tensor<16x8x3x3xf32> in 2 groups take 16}}
  %0 = graph.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 2 : (tensor<1x8x14x14xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x14x14xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x14x14xf32>, %w: tensor<16x8x3x3xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{'graph.conv' op groups must be positive}}
  %0 = graph.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 0 : (tensor<1x8x14x14xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x14x14xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x14x14xf32>, %w: tensor<16x8x3x3xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{'graph.conv' op bias tensor<8xf32> is not one value per output channel (16)}}
  %0 = graph.conv %x, %w, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1 : (tensor<1x8x14x14xf32>, tensor<16x8x3x3xf32>, tensor<8xf32>) -> tensor<1x16x14x14xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x14x14xf32>, %w: tensor<16x8x3x3xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{'graph.conv' op window of 19 does not fit into the padded extent 16 of spatial dimension 0}}
  %0 = graph.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [9, 9] groups 1 : (tensor<1x8x14x14xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x14x14xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x14x14xf32>, %w: tensor<16x8x3x3xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{'graph.conv' op result 0 is tensor<1x16x12x12xf32>, but the operator gives tensor<1x16x14x14xf32>}}
  %0 = graph.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1 : (tensor<1x8x14x14xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x12x12xf32>
  return
}

// -----

func.func @f(%x: tensor<8x14xf32>, %w: tensor<16x8xf32>) {
  // expected-error @below {{'graph.conv' op needs spatial dimensions, but its input is tensor<8x14xf32>}}
  %0 = graph.conv %x, %w strides [] pads [] dilations [] groups 1 : (tensor<8x14xf32>, tensor<16x8xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @f(%x: tensor<1x24x8x8xf32>, %w: tensor<12x24x2x2xf32>) {
  // expected-error @below {{'graph.conv_transpose' op input tensor<1x24x8x8xf32> has 24 channels, but weights tensor<12x24x2x2xf32> take 12}}
  %0 = graph.conv_transpose %x, %w strides [2, 2] pads [0, 0, 0, 0] output_pads [0, 0] dilations [1, 1] groups 1 : (tensor<1x24x8x8xf32>, tensor<12x24x2x2xf32>) -> tensor<1x24x16x16xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x14x14xf32>, %w: tensor<4x16x8x3xf32>, %f: tensor<4x4xf32>, %g: tensor<2x4xf32>) {
  // expected-error @below {{'graph.winograd_conv' op 13 rows are not tiles of 2}}
  %0 = graph.winograd_conv %x, %w, %f, %g pads [1, 1, 0, 1] : (tensor<1x8x14x14xf32>, tensor<4x16x8x3xf32>, tensor<4x4xf32>, tensor<2x4xf32>) -> tensor<1x16x13x14xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x14x14xf32>) {
  // expected-error @below {{'graph.pool' op attribute 'kind' failed to satisfy constraint: string attribute one of max, avg}}
  %0 = graph.pool min %x kernel [3, 3] strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] : tensor<1x8x14x14xf32> -> tensor<1x8x7x7xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x14x14xf32>) {
  // expected-error @below {{'graph.pool' op strides has 2 entries for 1 dimensions}}
  %0 = graph.pool max %x kernel [3] strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] : tensor<1x8x14x14xf32> -> tensor<1x8x7x7xf32>
  return
}
