// RUN: sinter-opt %s --tloop-schedule=device=ascend-910b --convert-tloop-to-npu=device=ascend-910b --split-input-file | FileCheck %s

// A product runs on the matrix unit: operands go through L1 to its buffers, the sums leave by the fixpipe. One
// step holds the whole depth, so the sums start from it.

// CHECK-LABEL: npu.kernel @product
// CHECK-SAME: core(cube)
// CHECK: [[C:%.+]] = npu.alloc : memref<16x16xf32, #npu.space<l0c>>
// CHECK: [[A:%.+]] = npu.alloc : memref<16x32xf32, #npu.space<l0a>>
// CHECK: [[B:%.+]] = npu.alloc : memref<32x16xf32, #npu.space<l0b>>
// CHECK: npu.copy {{.+}} engine(mte2) : memref<16x32xf32>, memref<{{.+}}, #npu.space<l1>>
// CHECK: npu.copy {{.+}} engine(mte2) : memref<32x16xf32>, memref<{{.+}}, #npu.space<l1>>
// CHECK: npu.copy {{.+}}, [[A]]{{.+}} engine(mte1) : memref<{{.+}}, #npu.space<l1>>, memref<16x32xf32, #npu.space<l0a>>
// CHECK: npu.copy {{.+}}, [[B]]{{.+}} engine(mte1) : memref<{{.+}}, #npu.space<l1>>, memref<32x16xf32, #npu.space<l0b>>
// CHECK-NOT: npu.compute
// CHECK: npu.mma [[A]], [[B]] into [[C]] init
// CHECK: npu.copy [[C]]{{.+}} engine(fixpipe)
// CHECK-NEXT: npu.return
tloop.kernel @product(%x: tensor<16x32xf32>, %w: tensor<32x16xf32>) -> tensor<16x16xf32>
    attributes {roles = ["input", "input"]} {
  %y = tloop.contract domain [16, 16, 32] kinds ["parallel", "parallel", "reduction"]
    ins(%x, %w : tensor<16x32xf32>, tensor<32x16xf32>)
    maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>]
    writes [affine_map<(d0, d1, d2) -> (d0, d1)>] -> tensor<16x16xf32>
  tloop.return %y : tensor<16x16xf32>
}

// -----

// A convolution: the copy to L0A takes the image apart into rows of pixels and columns of taps and channels.
// What is left to do with the sums is the vector unit's, which they reach through device memory.

// CHECK-DAG: [[$PIXELS:#map[0-9]*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0 * 2 + d2, d1 * 2 + d3, d4)>
// CHECK-DAG: [[$ROWS:#map[0-9]*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0 * 4 + d1, d2 * 24 + d3 * 8 + d4)>
// CHECK-LABEL: npu.kernel @convolution
// CHECK-SAME: core(mix)
// CHECK: npu.copy {{.+}} along [[$PIXELS]], {{.+}} along [[$ROWS]] sizes [4, 4, 3, 3, 8] engine(mte1)
// CHECK: npu.copy {{.+}} sizes [3, 3, 8, 16] engine(mte1)
// CHECK: npu.mma {{.+}} init : memref<16x72xf32, #npu.space<l0a>>, memref<72x16xf32, #npu.space<l0b>>, memref<16x16xf32, #npu.space<l0c>>
// CHECK: npu.copy {{.+}} engine(fixpipe) : memref<16x16xf32, #npu.space<l0c>>, memref<16x16xf32, #npu.space<gm>>
// CHECK: npu.copy {{.+}} engine(mte2) : memref<16x16xf32, #npu.space<gm>>, memref<16x16xf32, #npu.space<ub>>
// CHECK: npu.compute engine(vector)
// CHECK: npu.copy {{.+}} engine(mte3)
tloop.kernel @convolution(%x: tensor<9x9x8xf32>, %w: tensor<3x3x8x16xf32>) -> tensor<4x4x16xf32>
    attributes {roles = ["input", "constant"]} {
  %y = tloop.contract domain [4, 4, 16, 3, 3, 8]
    kinds ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]
    ins(%x, %w : tensor<9x9x8xf32>, tensor<3x3x8x16xf32>)
    maps [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 * 2 + d3, d1 * 2 + d4, d5)>,
          affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d4, d5, d2)>]
    finish {
    ^bb0(%sum: f32):
      %zero = arith.constant 0.0 : f32
      %relu = arith.maximumf %sum, %zero : f32
      tloop.yield %relu : f32
    }
    writes [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2)>] -> tensor<4x4x16xf32>
  tloop.return %y : tensor<4x4x16xf32>
}
