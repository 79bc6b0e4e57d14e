// RUN: sinter-opt %s --graph-fuse --remark-policy=all --remark-format=emitRemark --remarks-filter=graph-fuse -o /dev/null 2>&1 | FileCheck %s

// An error function for each channel of a convolution's operand is stored once.

// CHECK: remark: {{.*}}[Missed] recompute-dearer-than-reload | Category:graph-fuse
// CHECK-SAME: computing Erf_0 again for Conv_1, Mul_3 takes {{[0-9.]+}} us more than a reload
// CHECK-SAME: if Erf_0 had one user of Conv_1, Mul_3, or took {{[0-9.]+}} us less
func.func @main(%x: tensor<1x32x28x28xf32>) -> (tensor<1x32x28x28xf32>, tensor<1x32x28x28xf32>) {
  %w = graph.constant dense<0.1> : tensor<32x32x1x1xf32>
  %v = graph.constant dense<0.2> : tensor<32x32x3x3xf32>
  %0 = graph.erf %x : tensor<1x32x28x28xf32> loc("Erf_0")
  %1 = graph.conv %0, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1
    : (tensor<1x32x28x28xf32>, tensor<32x32x1x1xf32>) -> tensor<1x32x28x28xf32> loc("Conv_1")
  %2 = graph.conv %1, %v strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1
    : (tensor<1x32x28x28xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x28x28xf32> loc("Conv_2")
  %3 = graph.mul %2, %0
    : (tensor<1x32x28x28xf32>, tensor<1x32x28x28xf32>) -> tensor<1x32x28x28xf32> loc("Mul_3")
  return %1, %3 : tensor<1x32x28x28xf32>, tensor<1x32x28x28xf32>
}
