// RUN: sinter-opt %s --emit-bytecode -o %t.mlirbc
// RUN: sinter-opt %t.mlirbc | FileCheck %s
// RUN: sinter-opt %t.mlirbc --emit-bytecode --emit-bytecode-version=6 | sinter-opt | FileCheck %s

// Weights come back from bytecode bit for bit.

// CHECK: graph.constant dense_resource<weight> : tensor<2x2xf32>
// CHECK: weight: "0x04000000000080BF000000400000404001008040"
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
