// RUN: sinter-opt %s --cse --canonicalize | FileCheck %s

// What this says stays.

// CHECK-LABEL: func.func @first
// CHECK-NEXT: graph.exp
// CHECK-NEXT: this is no longer printed
func.func @first(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.relu %x : tensor<4xf32>
  %b = graph.relu %x : tensor<4xf32>
  %c = graph.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}

// And this.

func.func @second(%m: tensor<2x2xf32>)
    -> tensor<2x2xf32> {
  %c = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %d = graph.mul %m, %c : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %d : tensor<2x2xf32>
}
