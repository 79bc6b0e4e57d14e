// RUN: sinter-opt %s --graph-simplify | FileCheck %s --check-prefix=ALL
// RUN: sinter-opt %s --graph-simplify=grown-bytes=16 | FileCheck %s --check-prefix=FEW

// A result that is bigger than its operands is evaluated up to a size.

// ALL-LABEL: func.func @main
// ALL-NOT: graph.expand
// FEW-LABEL: func.func @main
// FEW: graph.expand
func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %c = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %e = graph.expand %c shape [8, 4] : tensor<4xf32> -> tensor<8x4xf32>
  %y = graph.sub %x, %e : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
