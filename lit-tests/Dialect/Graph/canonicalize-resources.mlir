// RUN: sinter-opt %s --canonicalize | FileCheck %s

// Constants in resources are evaluated like those that are written out.

// CHECK-LABEL: func.func @resource(
// CHECK-NEXT: [[R0:%.+]] = graph.constant dense<[-1.000000e+00, -2.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: return [[R0]] : tensor<2xf32>
func.func @resource() -> tensor<2xf32> {
  %w = graph.constant dense_resource<weight> : tensor<2xf32>
  %0 = graph.neg %w : tensor<2xf32>
  return %0 : tensor<2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weight: "0x040000000000803F00000040"
    }
  }
#-}
