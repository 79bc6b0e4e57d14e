// RUN: sinter-opt %s --graph-fuse=numerics=rounding --remark-policy=all --remark-format=emitRemark --remarks-filter=graph-fuse -o /dev/null 2>&1 | FileCheck %s

// Reflecting the border in the kernel would compute the convolution eight times.

// CHECK: remark: {{.*}}"Conv_0", "Pad_1"{{.*}}[Missed] index-map-dearer-than-copy | Category:graph-fuse
// CHECK-SAME: together they would take {{[0-9.]+}} us, apart {{[0-9.]+}} us
// CHECK-SAME: if it took {{[0-9.]+}} us less
func.func @main(%x: tensor<1x64x64x64xf32>) -> tensor<1x64x184x184xf32> {
  %w = graph.constant dense<0.1> : tensor<64x64x3x3xf32>
  %0 = graph.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1
    : (tensor<1x64x64x64xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x64x64xf32> loc("Conv_0")
  %1 = graph.pad reflect %0 low [0, 0, 60, 60] high [0, 0, 60, 60] value 0.0
    : tensor<1x64x64x64xf32> -> tensor<1x64x184x184xf32> loc("Pad_1")
  return %1 : tensor<1x64x184x184xf32>
}
