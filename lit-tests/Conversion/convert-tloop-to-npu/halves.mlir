// RUN: sinter-opt %s --graph-fuse=device=ascend-910b --convert-graph-to-tloop --tloop-schedule=device=ascend-910b --convert-tloop-to-npu=device=ascend-910b | FileCheck %s

// The matrix unit widens halves itself: what an operator on them adds up in f32 is its work as it is.

// CHECK: npu.mma {{.+}} : memref<{{.+}}xf16, #npu.space<l0a>>, memref<{{.+}}xf16, #npu.space<l0b>>, memref<{{.+}}xf32, #npu.space<l0c>>
func.func @main(%x: tensor<64x80xf16> {graph.name = "x"}) -> (tensor<64x48xf16> {graph.name = "y"}) {
  %w = graph.constant dense<0.5> : tensor<80x48xf16>
  %y = graph.matmul %x, %w : (tensor<64x80xf16>, tensor<80x48xf16>) -> tensor<64x48xf16>
  return %y : tensor<64x48xf16>
}
