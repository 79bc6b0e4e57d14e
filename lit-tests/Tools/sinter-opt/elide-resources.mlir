// RUN: sinter-opt %s --mlir-elide-resource-strings-if-larger=8 | FileCheck %s

// Weights can be left out of what is printed.

// CHECK: graph.constant dense_resource<weight>
// CHECK-NOT: 0x0400
func.func @f() -> tensor<2x2xf32> {
  %0 = graph.constant dense_resource<weight> : tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weight: "0x04000000000080BF000000400000404001008040"
    }
  }
#-}
