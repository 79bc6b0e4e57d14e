// RUN: sinter-opt %s --graph-fuse --remark-policy=all --remark-format=emitRemark --remarks-filter=graph-fuse -o /dev/null 2>&1 | FileCheck %s

// Every element is scaled by the sum of all. Where there are few, one block holds them.

// CHECK: remark: {{.*}}"Erf_0", "Sum_1"{{.*}}[Missed] reduction-cannot-share-tile | Category:graph-fuse
// CHECK-SAME: would be one block
// CHECK-SAME: if dimensions 0 and 1 of Erf_0 (1024) <= {{[0-9]+}}
func.func @main(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %0 = graph.erf %x : tensor<1024x1024xf32> loc("Erf_0")
  %1 = graph.reduce sum %0 axes [0, 1] keep_dims true : tensor<1024x1024xf32> -> tensor<1x1xf32> loc("Sum_1")
  %2 = graph.mul %0, %1 : (tensor<1024x1024xf32>, tensor<1x1xf32>) -> tensor<1024x1024xf32> loc("Mul_2")
  return %2 : tensor<1024x1024xf32>
}
