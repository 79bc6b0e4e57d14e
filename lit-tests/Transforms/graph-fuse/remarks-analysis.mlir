// RUN: sinter-opt %s --graph-fuse --remark-policy=all --remark-format=emitRemark --remarks-filter=graph-fuse -o /dev/null 2>&1 | FileCheck %s

// What every kernel costs, its runner-up, and the program.

// CHECK: remark: {{.*}}[Analysis] price | Category:graph-fuse | Function=k0_relu_exp
// CHECK-SAME: us, 0 bytes on chip; runner-up: cut after Relu_0, {{[0-9.]+}} us instead of {{[0-9.]+}} us
// CHECK-SAME: price_ns={{[0-9.]+}}
// CHECK: remark: {{.*}}[Analysis] program | Category:graph-fuse
// CHECK-SAME: 2 operators in 1 kernels, {{[0-9.]+}} us, no choice among the candidates is below {{[0-9.]+}} us
func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.relu %x : tensor<64x64xf32> loc("Relu_0")
  %1 = graph.exp %0 : tensor<64x64xf32> loc("Exp_1")
  return %1 : tensor<64x64xf32>
}
