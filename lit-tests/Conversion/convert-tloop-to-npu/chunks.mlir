// RUN: sinter-opt %s --tloop-schedule=device=ascend-910b --convert-tloop-to-npu=device=ascend-910b | FileCheck %s

// What does not fit is loaded in chunks, one chunk ahead, into two tiles in turn. The loop carries the tokens
// of the even chunks; the last round loads no further chunk. Within a chunk the matrix unit takes steps in the same
// way: the operands of the next step are under way while one is multiplied.

// CHECK-LABEL: npu.kernel @product
// CHECK: [[X0:%.+]] = npu.copy {{.+}} engine(mte2) : memref<16x8192xf32>, memref<{{.+}}, #npu.space<l1>>
// CHECK: [[W0:%.+]] = npu.copy {{.+}} engine(mte2) : memref<8192x16xf32>, memref<{{.+}}, #npu.space<l1>>
// CHECK: [[LAST:%.+]]:2 = scf.for {{.+}} iter_args([[XE:%.+]] = [[X0]], [[WE:%.+]] = [[W0]]) -> (!npu.token, !npu.token)
// CHECK: [[XO:%.+]] = npu.copy {{.+}} engine(mte2)
// CHECK: [[WO:%.+]] = npu.copy {{.+}} engine(mte2)
// CHECK: npu.wait [[XE]], [[WE]]
// CHECK: [[A0:%.+]] = npu.copy {{.+}} engine(mte1) : memref<{{.+}}, #npu.space<l1>>, memref<{{.+}}, #npu.space<l0a>>
// CHECK: [[B0:%.+]] = npu.copy {{.+}} engine(mte1) : memref<{{.+}}, #npu.space<l1>>, memref<{{.+}}, #npu.space<l0b>>
// CHECK: scf.for {{.+}} iter_args([[AE:%.+]] = [[A0]], [[BE:%.+]] = [[B0]]) -> (!npu.token, !npu.token)
// CHECK: npu.copy {{.+}} engine(mte1)
// CHECK: npu.copy {{.+}} engine(mte1)
// CHECK: npu.wait [[AE]], [[BE]]
// CHECK: npu.mma [[A:%.+]], [[B:%.+]] into [[C:%.+]] : memref
// CHECK: npu.mma {{.+}}, {{.+}} into [[C]] : memref
// CHECK: [[NEXT:%.+]]:2 = scf.if
// CHECK: npu.copy {{.+}} engine(mte2)
// CHECK: npu.copy {{.+}} engine(mte2)
// CHECK: else
// CHECK: npu.ready
// CHECK: npu.wait [[XO]], [[WO]]
// CHECK: npu.mma [[A]], [[B]] into [[C]]
// CHECK: scf.yield [[NEXT]]#0, [[NEXT]]#1 : !npu.token, !npu.token
// CHECK: npu.wait [[LAST]]#0, [[LAST]]#1
tloop.kernel @product(%x: tensor<16x8192xf32>, %w: tensor<8192x16xf32>) -> tensor<16x16xf32>
    attributes {roles = ["input", "input"]} {
  %y = tloop.contract domain [16, 16, 8192] kinds ["parallel", "parallel", "reduction"]
    ins(%x, %w : tensor<16x8192xf32>, tensor<8192x16xf32>)
    maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>]
    writes [affine_map<(d0, d1, d2) -> (d0, d1)>] -> tensor<16x16xf32>
  tloop.return %y : tensor<16x16xf32>
}
