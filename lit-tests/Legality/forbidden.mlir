// RUN: sinter-opt %s --graph-fuse --remark-policy=all --remark-format=emitRemark --remarks-filter=graph-fuse -o /dev/null 2>&1 | FileCheck %s

// An attribute asks for a kernel of its own.

// CHECK: remark: {{.*}}[Missed] forbidden | Category:graph-fuse
// CHECK-SAME: were dropped
func.func @main(%x: tensor<64x256xf32>) -> tensor<64x256xf32> {
  %0 = graph.exp %x {graph.never_fuse} : tensor<64x256xf32> loc("Exp_0")
  %1 = graph.sin %0 : tensor<64x256xf32> loc("Sin_1")
  return %1 : tensor<64x256xf32>
}
