// RUN: sinter-opt %s --run-reproducer | FileCheck %s

// CHECK-LABEL: func.func @f
// CHECK-NEXT: return
func.func @f(%x: tensor<4xf32>) {
  %0 = graph.relu %x : tensor<4xf32>
  return
}

{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module(canonicalize)",
      disable_threading: true,
      verify_each: true
    }
  }
#-}
