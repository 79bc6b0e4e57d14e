// RUN: sinter-opt %s --graph-fuse=device=ascend-910b --remark-policy=all --remark-format=emitRemark --remarks-filter=graph-fuse -o /dev/null 2>&1 | FileCheck %s

// The vector unit has no 64-bit lanes.

// CHECK: remark: {{.*}}[Missed] element-types-do-not-meet | Category:graph-fuse
// CHECK-SAME: Add_0 gives i64, which the vector unit of ascend-910b does not hold
// CHECK-SAME: if Add_0 gave one of f32,
func.func @main(%x: tensor<64x256xi64>) -> tensor<64x256xf32> {
  %0 = graph.add %x, %x : (tensor<64x256xi64>, tensor<64x256xi64>) -> tensor<64x256xi64> loc("Add_0")
  %1 = graph.cast %0 to f32 : tensor<64x256xi64> -> tensor<64x256xf32> loc("Cast_1")
  %2 = graph.exp %1 : tensor<64x256xf32> loc("Exp_2")
  return %2 : tensor<64x256xf32>
}
