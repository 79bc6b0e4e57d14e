// RUN: sinter-opt %s --no-implicit-module | FileCheck %s

// A kernel can be the top of a file.

// CHECK: tloop.kernel @k
// CHECK-NOT: module
tloop.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  tloop.return %x : tensor<4xf32>
}
