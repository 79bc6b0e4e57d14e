// RUN: sinter-opt %s --graph-fuse --split-input-file --verify-diagnostics

// expected-error @below {{every extent must be known}}
module {
  func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
    %y = graph.relu %x : tensor<?x4xf32>
    return %y : tensor<?x4xf32>
  }
}

// -----

// expected-error @below {{'graph.sort': no operator is called 'sort'}}
module {
  func.func @main(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>) {
    %v, %i = graph.sort %x axis 1 : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4x8xi64>
    return %v, %i : tensor<4x8xf32>, tensor<4x8xi64>
  }
}
