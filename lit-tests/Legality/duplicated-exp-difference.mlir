// RUN: sinter-opt %s --graph-fuse --remark-policy=all --remark-format=emitRemark --remarks-filter=graph-fuse -o /dev/null 2>&1 | FileCheck %s

// The maximum of everything and the exponential are two kernels. Both need the same bits of %0.

// CHECK: remark: {{.*}}[Missed] duplicated-exp-difference | Category:graph-fuse
// CHECK-SAME: Sqrt_0 would be computed for Max_1 and again for Exp_3
// CHECK-SAME: if one kernel held Max_1 and Exp_3
func.func @main(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %0 = graph.sqrt %x : tensor<1024x1024xf32> loc("Sqrt_0")
  %1 = graph.reduce max %0 axes [0, 1] keep_dims true : tensor<1024x1024xf32> -> tensor<1x1xf32> loc("Max_1")
  %2 = graph.sub %0, %1 : (tensor<1024x1024xf32>, tensor<1x1xf32>) -> tensor<1024x1024xf32> loc("Sub_2")
  %3 = graph.exp %2 : tensor<1024x1024xf32> loc("Exp_3")
  return %3 : tensor<1024x1024xf32>
}
