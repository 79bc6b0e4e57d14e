// RUN: sinter-opt %s --graph-fuse=policy=greedy --remark-policy=all --remark-format=emitRemark --remarks-filter=graph-fuse -o /dev/null 2>&1 | FileCheck %s

// A passed remark per fused kernel.

// CHECK: remark: {{.*}}[Passed] fused | Category:graph-fuse | Function=k0_relu_exp
// CHECK-SAME: 2 operators in
func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.relu %x : tensor<64x64xf32> loc("Relu_0")
  %1 = graph.exp %0 : tensor<64x64xf32> loc("Exp_1")
  return %1 : tensor<64x64xf32>
}
