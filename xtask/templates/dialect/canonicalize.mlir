// RUN: @kebab@-opt %s --canonicalize | FileCheck %s

// An operator on a constant is evaluated.

// CHECK-LABEL: func.func @constant
// CHECK-NEXT: graph.constant
// CHECK-NEXT: return
func.func @constant() -> tensor<2xf32> {
  %x = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = @snake@.first %x : tensor<2xf32>
  return %y : tensor<2xf32>
}
