// REQUIRES: sinter
// RUN: sinter explain %s --all | FileCheck %s
// RUN: sinter explain %s --proof | FileCheck %s --check-prefix=PROOF
// RUN: sinter compile %s -o %t.sinter
// RUN: sinter inspect %t.sinter | FileCheck %s --check-prefix=INSPECT
// RUN: sinter run %t.sinter --random-inputs 1 | FileCheck %s --check-prefix=OUTPUT

// Names may hold any character; a line of text stays one, and does nothing to a terminal.

// CHECK: k0_silu: a\nb\u{1b}[31m, c\td
// PROOF: c\td (saturation)
// INSPECT: input    x\u{7}: f32 [64, 64]
// INSPECT: k0_silu [a\nb\u{1b}[31m, c\td]
// OUTPUT: y\n: tensor<64x64xf32>
func.func @main(%x: tensor<64x64xf32> {graph.name = "x\07"}) -> (tensor<64x64xf32> {graph.name = "y\0A"}) {
  %0 = graph.sigmoid %x : tensor<64x64xf32> loc("a\0Ab\1B[31m")
  %1 = graph.mul %x, %0 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("c\09d")
  return %1 : tensor<64x64xf32>
}
