// RUN: sinter-opt %s | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --mlir-print-op-generic | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --emit-bytecode | sinter-opt | FileCheck %s

// CHECK-LABEL: func.func @@snake@
// CHECK-SAME: (%[[X:.+]]: tensor<2x3xf32>)
// CHECK-NEXT: graph.@snake@ %[[X]] : tensor<2x3xf32>
func.func @@snake@(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = graph.@snake@ %x : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
