// RUN: sinter-opt %s --@kebab@ | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-NEXT: write what @kebab@ leaves
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = graph.relu %x : tensor<2xf32>
  return %y : tensor<2xf32>
}
