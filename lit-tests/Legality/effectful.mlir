// RUN: not sinter-opt %s --graph-fuse --remark-policy=all --remark-format=emitRemark --remarks-filter=graph-fuse -o /dev/null 2>&1 | FileCheck %s

// Random numbers may be neither merged nor computed twice.

// CHECK: remark: {{.*}}[Missed] effectful | Category:graph-fuse
// CHECK-SAME: graph.random has effects, so that no kernel may hold it
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.random uniform 0.0, 1.0 seed 7 : tensor<4x8xf32> loc("Random_0")
  %1 = graph.mul %x, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> loc("Mul_1")
  return %1 : tensor<4x8xf32>
}
