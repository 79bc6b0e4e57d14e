// RUN: sinter-opt %s --tloop-pack-constants=device=host+avx512vnni --tloop-apply-layouts | FileCheck %s --check-prefix=PACKED
// RUN: sinter-opt %s --tloop-pack-constants=device=host+avx512vnni --tloop-apply-layouts --tloop-schedule=device=host+avx512vnni --convert-tloop-to-npu=device=host+avx512vnni | FileCheck %s --check-prefix=DOTS
// RUN: sinter-opt %s --tloop-pack-constants=device=host+avx512bf16 --tloop-apply-layouts | FileCheck %s --check-prefix=PAIRS
// RUN: sinter-opt %s --tloop-pack-constants=device=host+avx512bf16 --tloop-apply-layouts --tloop-schedule=device=host+avx512bf16 --convert-tloop-to-npu=device=host+avx512bf16 | FileCheck %s --check-prefix=HALVES
// RUN: sinter-opt %s --tloop-pack-constants=device=host+avx512 --tloop-apply-layouts --tloop-schedule=device=host+avx512 --convert-tloop-to-npu=device=host+avx512 | FileCheck %s --check-prefix=PLAIN

// Where the CPU adds four products of bytes, or two of bf16, in one instruction, the right factors of a contraction lie
// in such groups along the innermost reduction, and whatever operator the nest came from is made of that instruction.
// The depths of 66 and 33 end within a group, which weights fill up with zeros; no left factor but zero meets those
// of bf16.

// PACKED: tloop.kernel @bytes(%{{.+}}: tensor<32x66xui8>, %{{.+}}: tensor<{{[0-9]+}}x17x{{[0-9]+}}x4xi8>)
// DOTS: [[A:%.+]] = vector.load {{.+}} vector<4xi8>
// DOTS: vector.bitcast [[A]] : vector<4xi8> to vector<1xi32>
// DOTS: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"({{.+}}) : (vector<16xi32>, vector<64xi8>, vector<64xi8>)
// PAIRS: tloop.kernel @halves(%{{.+}}: tensor<32x33xbf16>, %{{.+}}: tensor<{{[0-9]+}}x17x{{[0-9]+}}x2xbf16>)
// HALVES: [[B:%.+]] = vector.load {{.+}} vector<2xbf16>
// HALVES: vector.bitcast [[B]] : vector<2xbf16> to vector<1xi32>
// HALVES: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"({{.+}}) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>)
// HALVES: [[C:%.+]] = memref.load {{.+}} memref<{{.+}}xbf16>
// HALVES: arith.bitcast [[C]] : bf16 to i16
// PLAIN-NOT: vpdpbusd
// PLAIN-NOT: dpbf16ps
// PLAIN: arith.muli {{.+}} : vector<16xi32>
tloop.kernel @bytes(%x: tensor<32x66xui8>, %w: tensor<66x96xi8>) -> tensor<32x96xi32>
    attributes {roles = ["input", "constant"]} {
  %y = tloop.nest domain [32, 96, 66] kinds ["parallel", "parallel", "reduction"]
    ins(%x, %w : tensor<32x66xui8>, tensor<66x96xi8>)
    maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>]
    combine ["add"] init [0.000000e+00] body {
    ^bb0(%a: ui8, %b: i8):
      %0 = builtin.unrealized_conversion_cast %a : ui8 to i8
      %1 = arith.extui %0 : i8 to i32
      %2 = arith.extsi %b : i8 to i32
      %3 = arith.muli %1, %2 : i32
      tloop.yield %3 : i32
    } writes [affine_map<(d0, d1, d2) -> (d0, d1)>] {tloop.contract} -> tensor<32x96xi32>
  tloop.return %y : tensor<32x96xi32>
}

tloop.kernel @halves(%x: tensor<32x33xbf16>, %w: tensor<33x96xbf16>) -> tensor<32x96xf32>
    attributes {roles = ["input", "constant"]} {
  %y = tloop.nest domain [32, 96, 33] kinds ["parallel", "parallel", "reduction"]
    ins(%x, %w : tensor<32x33xbf16>, tensor<33x96xbf16>)
    maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>]
    combine ["add"] init [0.000000e+00] body {
    ^bb0(%a: bf16, %b: bf16):
      %0 = arith.extf %a : bf16 to f32
      %1 = arith.extf %b : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      tloop.yield %2 : f32
    } writes [affine_map<(d0, d1, d2) -> (d0, d1)>] {tloop.contract} -> tensor<32x96xf32>
  tloop.return %y : tensor<32x96xf32>
}
