// RUN: my-opt %s --verify-diagnostics --split-input-file

func.func @roundness(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{'dsp.squareplus' op needs a roundness of at least 0, not -1}}
  %y = dsp.squareplus %x roundness -1.0 : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @axis(%x: tensor<2xf32>) -> tensor<1xf32> {
  // expected-error @+1 {{'dsp.power' op axis 1 is not a dimension of a tensor of rank 1}}
  %y = dsp.power %x axis 1 : tensor<2xf32> -> tensor<1xf32>
  return %y : tensor<1xf32>
}

// -----

func.func @result(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{'dsp.power' op result 0 is tensor<2xf32>, but the operator gives tensor<1xf32>}}
  %y = dsp.power %x axis 0 : tensor<2xf32> -> tensor<2xf32>
  return %y : tensor<2xf32>
}
