// RUN: %python %S/Inputs/session.py %s | FileCheck %s

// A whole session over standard input and output: what a verifier in Rust says, hover, definition, uses.

// CHECK: diagnostic on line 15 {{.*}}'graph.softmax' op axis 1 is not a dimension of a tensor of rank 1
// CHECK-NEXT: diagnostics after the change: []
// CHECK-NEXT: hover: {{.*}}graph.relu
// CHECK-NEXT: definition on line 14 %positive = graph.relu %x
// CHECK-NEXT: named on lines [14, 15, 16]
// CHECK-NEXT: exit code 0

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // The line that hover and definition are asked about is the next one.
  %positive = graph.relu %x : tensor<4xf32>
  %shares = graph.softmax %positive axis 1 : tensor<4xf32>
  %y = graph.add %shares, %positive : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
