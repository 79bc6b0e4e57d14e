// RUN: sinter-reduce %s --interesting slower-than-unfused --passes='test-slow-down{times=24}' --margin 2 --max-runs 60 2> %t.said | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAID < %t.said

// Much is computed after one operator: times are measured, and differ by an order of magnitude.

// SAID: {{^}}{{[2-5]}} operations instead of 9,
// CHECK: func.func @main
// CHECK: graph.mul
// CHECK-NEXT: graph.sub

func.func @main(%x: tensor<512x512xf32>, %y: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = graph.relu %x : tensor<512x512xf32>
  %1 = graph.add %0, %y : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %2 = graph.max %1, %x : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %3 = graph.mul %2, %y : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %4 = graph.sub %3, %1 : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %5 = graph.abs %4 : tensor<512x512xf32>
  %6 = graph.add %5, %0 : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %7 = graph.relu %6 : tensor<512x512xf32>
  %8 = graph.max %7, %2 : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %8 : tensor<512x512xf32>
}
