// RUN: sinter-opt %s --symbol-dce | FileCheck %s

// Private kernels live as long as something launches them.

// CHECK: tloop.kernel private @launched
// CHECK-NOT: @left_over
// CHECK: tloop.kernel @exported
tloop.kernel private @launched(%x: tensor<4xf32>) -> tensor<4xf32> {
  tloop.return %x : tensor<4xf32>
}
tloop.kernel private @left_over(%x: tensor<4xf32>) -> tensor<4xf32> {
  tloop.return %x : tensor<4xf32>
}
tloop.kernel @exported(%x: tensor<4xf32>) -> tensor<4xf32> {
  tloop.return %x : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tloop.launch @launched(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
