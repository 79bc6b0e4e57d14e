// RUN: sinter-opt %s --verify-diagnostics

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{axis 1 is not a dimension of a tensor of rank 1}}
  %0 = graph.softmax %x axis 1 : tensor<4xf32>
  return
}
