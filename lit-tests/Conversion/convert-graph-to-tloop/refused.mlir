// RUN: sinter-opt %s --convert-graph-to-tloop --split-input-file --verify-diagnostics

// expected-error @below {{'graph.relu' at node 'Relu_3' outside a group (run graph-fuse first) is not supported here}}
module {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = graph.relu %x : tensor<4xf32> loc("Relu_3")
    return %y : tensor<4xf32>
  }
}

// -----

// expected-error @below {{'graph.transpose' at node 'Transpose_0' outside a group, which would move its elements, is not supported here}}
module {
  func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
    %y = graph.transpose %x perm [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32> loc("Transpose_0")
    return %y : tensor<3x2xf32>
  }
}

// -----

// expected-error @below {{'graph.concat' at node 'Concat_0' outside a group, whose parts are not stored in place, is not supported here}}
module {
  func.func @main(%x: tensor<2xf32>) -> tensor<4xf32> {
    %y = graph.concat %x, %x axis 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32> loc("Concat_0")
    return %y : tensor<4xf32>
  }
}
