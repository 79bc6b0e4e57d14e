// RUN: sinter-opt %s --split-input-file --verify-diagnostics

// Normalisations.

func.func @f(%x: tensor<1x4x16xf32>, %s: tensor<4xf32>) {
  // expected-error @below {{'graph.layer_norm' op shapes [1, 4, 16] and [4] do not broadcast}}
  %0 = graph.layer_norm %x, %s axis 2 epsilon 1.0e-05 : (tensor<1x4x16xf32>, tensor<4xf32>) -> tensor<1x4x16xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x16xf32>, %s: tensor<16xf32>) {
  // expected-error @below {{'graph.layer_norm' op axis 3 is not a dimension of a tensor of rank 3}}
  %0 = graph.layer_norm %x, %s axis 3 epsilon 1.0e-05 : (tensor<1x4x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %p: tensor<8xf32>) {
  // expected-error @below {{'graph.batch_norm' op scale tensor<8xf32> is not one value per channel (4)}}
  %0 = graph.batch_norm %x, %p, %p, %p, %p epsilon 1.0e-05 : (tensor<1x4x8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8x8xf32>
  return
}
