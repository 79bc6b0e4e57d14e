// RUN: sinter-opt %s --convert-npu-to-func | FileCheck %s

// A matrix step is loops over tiles of sums, held in vectors while the depth is gone through: 12 rows are two tiles
// of 6, 20 columns a vector of 16 and one of 4.

// CHECK-LABEL: func.func @step
// CHECK-NOT: npu.mma
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-6: vector.load {{.+}}, vector<16xf32>
// CHECK: scf.for {{.+}} iter_args
// CHECK: vector.load {{.+}}, vector<16xf32>
// CHECK-COUNT-6: math.fma {{.+}} : vector<16xf32>
// CHECK-COUNT-6: vector.store {{.+}}, vector<16xf32>
// CHECK: math.fma {{.+}} : vector<4xf32>
npu.kernel @step(%block: index) core(cube) {
  %a = npu.alloc offset 0 : memref<12x8xf32, #npu.space<l0a>>
  %b = npu.alloc offset 0 : memref<8x20xf32, #npu.space<l0b>>
  %c = npu.alloc offset 0 : memref<12x20xf32, #npu.space<l0c>>
  npu.mma %a, %b into %c : memref<12x8xf32, #npu.space<l0a>>, memref<8x20xf32, #npu.space<l0b>>, memref<12x20xf32, #npu.space<l0c>>
  npu.return
}

// Half operands are widened; with init nothing is read of the sums. A step may stand in a compute region.

// CHECK-LABEL: func.func @half
// CHECK: [[ZERO:%.+]] = vector.broadcast {{.+}} : f32 to vector<4xf32>
// CHECK: scf.for {{.+}} iter_args({{.+}} = [[ZERO]]
// CHECK: arith.extf {{.+}} : vector<4xf16> to vector<4xf32>
// CHECK: arith.extf {{.+}} : f16 to f32
npu.kernel @half(%block: index) core(cube) {
  %a = npu.alloc offset 0 : memref<1x8xf16, #npu.space<l0a>>
  %b = npu.alloc offset 0 : memref<8x4xf16, #npu.space<l0b>>
  %c = npu.alloc offset 0 : memref<1x4xf32, #npu.space<l0c>>
  npu.compute engine(cube) {
    npu.mma %a, %b into %c init : memref<1x8xf16, #npu.space<l0a>>, memref<8x4xf16, #npu.space<l0b>>, memref<1x4xf32, #npu.space<l0c>>
  }
  npu.return
}
