// RUN: sinter-opt %s --graph-fuse=policy=none | FileCheck %s --check-prefix=NONE
// RUN: sinter-opt %s --graph-fuse=policy=greedy | FileCheck %s --check-prefix=ONE
// RUN: sinter-opt %s --graph-fuse=policy=egraph | FileCheck %s --check-prefix=ONE
// RUN: sinter-opt %s --graph-fuse="device=ascend-910b policy=greedy numerics=exact" | FileCheck %s --check-prefix=ONE

// `none` makes a kernel of every operator.

// NONE-COUNT-2: graph.group @k{{[0-9]+}}_{{relu|exp}}(

// ONE: graph.group @k0_{{.*}}(
// ONE-NOT: graph.group
func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.relu %x : tensor<64x64xf32>
  %1 = graph.exp %0 : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}
