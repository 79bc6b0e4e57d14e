// RUN: sinter-opt %s --inline | FileCheck %s

// Functions that launch kernels are inlined; kernels are not.

// CHECK-LABEL: tloop.kernel @copy(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: tloop.return [[A0]] : tensor<4xf32>
tloop.kernel @copy(%x: tensor<4xf32>) -> tensor<4xf32> {
  tloop.return %x : tensor<4xf32>
}

// CHECK-NOT: @act
func.func private @act(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tloop.launch @copy(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @main(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: [[R0:%.+]] = tloop.launch @copy([[A0]]) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: return [[R0]] : tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @act(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
