// RUN: sinter-opt %s --tloop-pack-constants=device=host+avx512vnni --tloop-apply-layouts | FileCheck %s --check-prefix=PACKED
// RUN: sinter-opt %s --tloop-pack-constants=device=host+avx512vnni --tloop-apply-layouts --tloop-schedule=device=host+avx512vnni --convert-tloop-to-npu=device=host+avx512vnni | FileCheck %s --check-prefix=DOTS
// RUN: sinter-opt %s --tloop-pack-constants=device=host+avx512 --tloop-apply-layouts --tloop-schedule=device=host+avx512 --convert-tloop-to-npu=device=host+avx512 | FileCheck %s --check-prefix=PLAIN

// Where the CPU adds four products of bytes in one instruction, the signed factors of a contraction lie four by
// four along the innermost reduction, and whatever operator the nest came from is made of that instruction. The depth
// of 66 ends within a group, which weights fill up with zeros.

// PACKED: tloop.kernel @bytes(%{{.+}}: tensor<32x66xui8>, %{{.+}}: tensor<{{[0-9]+}}x17x{{[0-9]+}}x4xi8>)
// DOTS: [[A:%.+]] = vector.load {{.+}} vector<4xi8>
// DOTS: vector.bitcast [[A]] : vector<4xi8> to vector<1xi32>
// DOTS: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"({{.+}}) : (vector<16xi32>, vector<64xi8>, vector<64xi8>)
// PLAIN-NOT: vpdpbusd
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
