// RUN: sinter-opt %s --tloop-schedule --convert-tloop-to-npu | FileCheck %s

// The function becomes a program on virtual buffers: flat memory, constants, launches. A barrier separates a
// launch from what it needs.

// CHECK-LABEL: npu.program @main
// CHECK-SAME: ([[X:%.+]]: memref<64xf32> {graph.name = "x"}) -> (memref<64xf32> {graph.name = "y"})
// CHECK: [[A:%.+]] = npu.buffer : memref<64xf32>
// CHECK-NEXT: npu.launch @abs blocks({{[0-9]+}}) ([[X]], [[A]] : memref<64xf32>, memref<64xf32>)
// CHECK-NEXT: npu.barrier
// CHECK-NEXT: [[Y:%.+]] = npu.buffer : memref<64xf32>
// CHECK-NEXT: npu.launch @abs blocks({{[0-9]+}}) ([[A]], [[Y]] : memref<64xf32>, memref<64xf32>)
// CHECK-NEXT: npu.return [[Y]]
tloop.kernel @abs(%x: tensor<4x16xf32>) -> tensor<4x16xf32> attributes {roles = ["input"]} {
  %y = tloop.nest domain [4, 16] kinds ["parallel", "parallel"]
    ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>]
    body {
    ^bb0(%a: f32):
      %0 = math.absf %a : f32
      tloop.yield %0 : f32
    } writes [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4x16xf32>
  tloop.return %y : tensor<4x16xf32>
}
func.func @main(%x: tensor<4x16xf32> {graph.name = "x"}) -> (tensor<4x16xf32> {graph.name = "y"}) {
  %a = tloop.launch @abs(%x) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %y = tloop.launch @abs(%a) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}
