// RUN: sinter-opt %s --graph-simplify --split-input-file --verify-diagnostics

// expected-error @below {{every extent must be known}}
module {
  func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
    %y = graph.relu %x : tensor<?xf32>
    return %y : tensor<?xf32>
  }
}

// -----

// expected-error @below {{the module has no function '@main'}}
module {
  func.func @a(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
  func.func @b(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

// expected-error @below {{operation 'arith.addf' is not supported here}}
module {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = arith.addf %x, %x : tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
