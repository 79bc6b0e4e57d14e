// REQUIRES: sinter
// RUN: %python %S/../Inputs/levels.py %s %t | FileCheck %s

// A mean over windows whose padding does not count: it divides by what lies inside, which follows from the position.

// CHECK: host graph: agrees
// CHECK-NEXT: host group: agrees
// CHECK-NEXT: host tloop: agrees
// CHECK-NEXT: host npu: agrees
// CHECK-NEXT: ascend-910b graph: agrees
// CHECK-NEXT: ascend-910b group: agrees
// CHECK-NEXT: ascend-910b tloop: agrees
// CHECK-NEXT: ascend-910b npu: agrees

func.func @main(%x: tensor<1x32x64x64xf32> {graph.name = "x"}) -> (tensor<1x32x64x64xf32> {graph.name = "y"}) {
  %y = graph.pool avg %x kernel [3, 3] strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : tensor<1x32x64x64xf32> -> tensor<1x32x64x64xf32>
  return %y : tensor<1x32x64x64xf32>
}
