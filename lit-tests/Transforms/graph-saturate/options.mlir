// RUN: sinter-opt %s --graph-saturate="disabled-rules=silu-from-product" | FileCheck %s
// RUN: sinter-opt %s --graph-saturate="iterations=0" | FileCheck %s
// RUN: not sinter-opt %s --graph-saturate="disabled-rules=no-such-rule" 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// CHECK-LABEL: func.func @main
// CHECK-NOT: graph.silu
// CHECK: graph.mul
// UNKNOWN: graph-saturate: {{.*}}no-such-rule
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.sigmoid %x : tensor<4xf32>
  %1 = graph.mul %x, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
