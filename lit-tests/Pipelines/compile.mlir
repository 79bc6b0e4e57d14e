// RUN: sinter-opt %s --sinter-compile | FileCheck %s --check-prefix=FUSED
// RUN: sinter-opt %s --sinter-compile="device=ascend-910b policy=greedy" | FileCheck %s --check-prefix=FUSED
// RUN: sinter-opt %s --sinter-compile=policy=none | FileCheck %s --check-prefix=NONE

// Operators to a planned program: one launch where they are fused, one for each where they are not.

// FUSED-LABEL: npu.program @main
// FUSED-COUNT-1: npu.launch
// FUSED-NOT: npu.launch
// FUSED: npu.return
// NONE-LABEL: npu.program @main
// NONE: npu.launch
// NONE: npu.barrier
// NONE: npu.launch
// NONE: npu.return
func.func @main(%x: tensor<4x64xf32> {graph.name = "x"}, %b: tensor<64xf32> {graph.name = "b"})
    -> (tensor<4x64xf32> {graph.name = "y"}) {
  %s = graph.add %x, %b : (tensor<4x64xf32>, tensor<64xf32>) -> tensor<4x64xf32>
  %y = graph.relu %s : tensor<4x64xf32>
  return %y : tensor<4x64xf32>
}
