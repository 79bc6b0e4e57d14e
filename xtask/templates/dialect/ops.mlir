// RUN: @kebab@-opt %s | @kebab@-opt | FileCheck %s
// RUN: @kebab@-opt %s --mlir-print-op-generic | @kebab@-opt | FileCheck %s
// RUN: @kebab@-opt %s --emit-bytecode | @kebab@-opt | FileCheck %s

// CHECK-LABEL: func.func @first
// CHECK-SAME: (%[[X:.+]]: tensor<2x3xf32>)
// CHECK-NEXT: @snake@.first %[[X]] : tensor<2x3xf32>
func.func @first(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = @snake@.first %x : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
