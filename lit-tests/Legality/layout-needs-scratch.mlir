// RUN: sinter-opt %s --graph-fuse=device=ascend-910b --remark-policy=all --remark-format=emitRemark --remarks-filter=graph-fuse -o /dev/null 2>&1 | FileCheck %s

// The sum is stored in the layout of the transposed value, in which a row of the softmax is spread.

// CHECK: remark: {{.*}}"Add_3", "Softmax_4"{{.*}}[Missed] layout-needs-scratch | Category:graph-fuse
// CHECK-SAME: in the layouts that are stored, together they would take
// CHECK-SAME: if Transpose_1 were stored row-major
func.func @main(%x: tensor<2x2x7x7x384xf32>, %y: tensor<1x14x14x384xf32>)
    -> (tensor<1x14x14x384xf32>, tensor<1x14x14x384xf32>) {
  %0 = graph.exp %x : tensor<2x2x7x7x384xf32> loc("Exp_0")
  %1 = graph.transpose %0 perm [0, 2, 1, 3, 4]
    : tensor<2x2x7x7x384xf32> -> tensor<2x7x2x7x384xf32> loc("Transpose_1")
  %2 = graph.reshape %1 shape [1, 14, 14, 384]
    : tensor<2x7x2x7x384xf32> -> tensor<1x14x14x384xf32> loc("Reshape_2")
  %3 = graph.add %2, %y
    : (tensor<1x14x14x384xf32>, tensor<1x14x14x384xf32>) -> tensor<1x14x14x384xf32> loc("Add_3")
  %4 = graph.softmax %3 axis 3 : tensor<1x14x14x384xf32> loc("Softmax_4")
  return %4, %3 : tensor<1x14x14x384xf32>, tensor<1x14x14x384xf32>
}
