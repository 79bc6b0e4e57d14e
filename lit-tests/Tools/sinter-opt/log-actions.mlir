// RUN: sinter-opt %s --test-options --log-actions-to=- -o /dev/null 2>&1 | FileCheck %s

// CHECK: begins (no breakpoint) Action `pass-execution` running `test-options`
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
