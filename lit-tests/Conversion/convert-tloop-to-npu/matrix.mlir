// RUN: sinter-opt %s --tloop-schedule=device=ascend-910b --convert-tloop-to-npu=device=ascend-910b | FileCheck %s

// A product runs on the matrix unit: operands go through L1 to its buffers, the sums leave by the fixpipe.

// CHECK-LABEL: npu.kernel @product
// CHECK-SAME: core(cube)
// CHECK: [[C:%.+]] = npu.alloc : memref<{{.+}}, #npu.space<l0c>>
// CHECK: npu.copy {{.+}} engine(mte2) : memref<16x32xf32>, memref<{{.+}}, #npu.space<l1>>
// CHECK: npu.copy {{.+}} engine(mte2) : memref<32x16xf32>, memref<{{.+}}, #npu.space<l1>>
// CHECK: npu.copy {{.+}} engine(mte1) : memref<{{.+}}, #npu.space<l1>>, memref<{{.+}}, #npu.space<l0a>>
// CHECK: npu.copy {{.+}} engine(mte1) : memref<{{.+}}, #npu.space<l1>>, memref<{{.+}}, #npu.space<l0b>>
// CHECK: npu.compute engine(cube)
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
