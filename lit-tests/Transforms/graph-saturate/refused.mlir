// RUN: sinter-opt %s --graph-saturate --verify-diagnostics

// expected-error @below {{every extent must be known}}
module {
  func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
    %y = graph.relu %x : tensor<?xf32>
    return %y : tensor<?xf32>
  }
}
