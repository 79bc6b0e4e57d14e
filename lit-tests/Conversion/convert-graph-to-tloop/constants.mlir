// RUN: sinter-opt %s --convert-graph-to-tloop | FileCheck %s

// A constant operand has the role; one whose elements are all the same becomes a literal.

// CHECK-LABEL: tloop.kernel @scale(%{{.+}}: tensor<4xf32>, %{{.+}}: tensor<4xf32>)
// CHECK-SAME: roles = ["input", "constant"]
// CHECK: arith.constant 5.000000e-01 : f32
// CHECK-LABEL: func.func @main
// CHECK: %[[C:.+]] = graph.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]>
// CHECK: tloop.launch @scale(%{{.+}}, %[[C]])
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %y = graph.group @scale(%x, %c : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %half = graph.constant dense<0.5> : tensor<4xf32>
    %0 = graph.mul %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = graph.mul %0, %half : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
