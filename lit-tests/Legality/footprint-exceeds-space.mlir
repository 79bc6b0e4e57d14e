// RUN: sinter-opt %s --graph-fuse=device=ascend-910b --remark-policy=all --remark-format=emitRemark --remarks-filter=graph-fuse -o /dev/null 2>&1 | FileCheck %s

// A channel must be whole on chip, before and after its mean is known.

// CHECK: remark: {{.*}}"Mean_1", "Mul_2"{{.*}}[Missed] footprint-exceeds-space | Category:graph-fuse
// CHECK-SAME: bytes of 'ub', which has 196608
// CHECK-SAME: if ub >= {{[0-9]+}} KiB
func.func @main(%x: tensor<1x16x160x160xf32>) -> tensor<1x16x160x160xf32> {
  %0 = graph.exp %x : tensor<1x16x160x160xf32> loc("Exp_0")
  %1 = graph.reduce mean %0 axes [2, 3] keep_dims true : tensor<1x16x160x160xf32> -> tensor<1x16x1x1xf32> loc("Mean_1")
  %2 = graph.mul %0, %1
    : (tensor<1x16x160x160xf32>, tensor<1x16x1x1xf32>) -> tensor<1x16x160x160xf32> loc("Mul_2")
  return %2 : tensor<1x16x160x160xf32>
}
