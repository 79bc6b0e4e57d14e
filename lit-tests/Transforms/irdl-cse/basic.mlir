// RUN: sinter-opt %s --irdl-cse | FileCheck %s

// Equal operations without effects become one, in every block.

// CHECK-LABEL: func.func @equal
// CHECK-SAME: (%[[X:.+]]: tensor<2xf32>
// CHECK-NEXT: %[[A:.+]] = graph.relu %[[X]]
// CHECK-NEXT: %[[N:.+]] = graph.neg %[[X]]
// CHECK-NEXT: return %[[A]], %[[A]], %[[N]]
func.func @equal(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %a = graph.relu %x : tensor<2xf32>
  %b = graph.relu %x : tensor<2xf32>
  %n = graph.neg %x : tensor<2xf32>
  return %a, %b, %n : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// Attributes and effects tell operations apart.

// CHECK-LABEL: func.func @apart
// CHECK-NEXT: graph.elu {{.*}} alpha 1.000000e+00
// CHECK-NEXT: graph.elu {{.*}} alpha 2.000000e+00
// CHECK-NEXT: memref.alloc
// CHECK-NEXT: memref.alloc
// CHECK-NEXT: return
func.func @apart(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, memref<2xf32>, memref<2xf32>) {
  %a = graph.elu %x alpha 1.0 : tensor<2xf32>
  %b = graph.elu %x alpha 2.0 : tensor<2xf32>
  %m = memref.alloc() : memref<2xf32>
  %n = memref.alloc() : memref<2xf32>
  return %a, %b, %m, %n : tensor<2xf32>, tensor<2xf32>, memref<2xf32>, memref<2xf32>
}
