// RUN: sinter-opt %s --tloop-schedule=device=host+avx512 --convert-tloop-to-npu=device=host+avx512 | FileCheck %s

// A window that moves by two elements: vectors of every other element are two loads and a shuffle. The second load ends with
// the last element that is wanted, 15 elements behind the first.

// CHECK: [[A:%.+]] = vector.load [[X:%.+]][[[AT:%.+]]] : {{.+}}, vector<16xf32>
// CHECK: [[NEXT:%.+]] = arith.addi [[AT]], {{.+}} : index
// CHECK: [[B:%.+]] = vector.load [[X]][[[NEXT]]] : {{.+}}, vector<16xf32>
// CHECK: vector.shuffle [[A]], [[B]] [0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31] : vector<16xf32>, vector<16xf32>
tloop.kernel @pairs(%x: tensor<8x130xf32>) -> tensor<8x64xf32> attributes {roles = ["input"]} {
  %y = tloop.nest domain [8, 64, 3] kinds ["parallel", "parallel", "reduction"]
    ins(%x : tensor<8x130xf32>)
    maps [affine_map<(d0, d1, d2) -> (d0, d1 * 2 + d2)>]
    combine ["max"] init [0xFFF0000000000000 : f64] body {
    ^bb0(%a: f32):
      tloop.yield %a : f32
    } writes [affine_map<(d0, d1, d2) -> (d0, d1)>] -> tensor<8x64xf32>
  tloop.return %y : tensor<8x64xf32>
}
