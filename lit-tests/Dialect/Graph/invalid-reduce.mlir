// RUN: sinter-opt %s --split-input-file --verify-diagnostics

// Reductions and scans.

func.func @f(%x: tensor<2x3x4xf32>) {
  // expected-error @below {{'graph.reduce' op attribute 'kind' failed to satisfy constraint: string attribute one of sum, mean, max, min, prod, l1, l2, sum_square, log_sum_exp}}
  %0 = graph.reduce median %x axes [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>) {
  // expected-error @below {{'graph.reduce' op axis 3 is not a dimension of a tensor of rank 3}}
  %0 = graph.reduce sum %x axes [3] : tensor<2x3x4xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>) {
  // expected-error @below {{'graph.reduce' op axes [1, 1] are not ascending and distinct}}
  %0 = graph.reduce sum %x axes [1, 1] : tensor<2x3x4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>) {
  // expected-error @below {{'graph.reduce' op result 0 is tensor<2x3xf32>, but the operator gives tensor<2x3x1xf32>}}
  %0 = graph.reduce sum %x axes [2] keep_dims true : tensor<2x3x4xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>) {
  // expected-error @below {{'graph.arg_reduce' op axis 5 is not a dimension of a tensor of rank 3}}
  %0 = graph.arg_reduce max %x axis 5 : tensor<2x3x4xf32> -> tensor<2x3xi64>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>) {
  // expected-error @below {{'graph.arg_reduce' op result 0 is tensor<2x3xi64>, but the operator gives tensor<2x4xi64>}}
  %0 = graph.arg_reduce max %x axis 1 : tensor<2x3x4xf32> -> tensor<2x3xi64>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>) {
  // expected-error @below {{'graph.scan' op attribute 'kind' failed to satisfy constraint: string attribute one of sum, prod}}
  %0 = graph.scan max %x axis 1 : tensor<2x3x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>) {
  // expected-error @below {{'graph.softmax' op axis 3 is not a dimension of a tensor of rank 3}}
  %0 = graph.softmax %x axis 3 : tensor<2x3x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xi64>) {
  // expected-error @below {{'graph.softmax' op needs a floating-point operand, not tensor<2x3x4xi64>}}
  %0 = graph.softmax %x axis 2 : tensor<2x3x4xi64>
  return
}
