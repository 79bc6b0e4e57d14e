// RUN: sinter-opt %s --irdl-file=%S/Inputs/dsp.irdl.mlir --irdl-cse | FileCheck %s --check-prefixes=CHECK,CSE
// RUN: sinter-opt %s --irdl-file=%S/Inputs/dsp.irdl.mlir --canonicalize | FileCheck %s --check-prefixes=CHECK,DCE
// RUN: echo "module {}" > %t
// RUN: not sinter-opt %t --irdl-file=%S/Inputs/wrong-effects.irdl.mlir 2>&1 | FileCheck %s --check-prefix=WRONG

// Operations that an IRDL file defines have the effects that it declares: CSE and dead code elimination
// work on them.

// WRONG: error: 'sinter.effects' is one of none, read, write, not 'few'

// No effects: equal ones become one, unused ones go.

// CHECK-LABEL: func.func @none
// CSE-NEXT: "dsp.squareplus"(%{{.+}}) {roundness = 1.0
// CSE-NEXT: %[[A:.+]] = "dsp.squareplus"
// CSE-NEXT: return %[[A]], %[[A]]
// DCE-NEXT: %[[A:.+]] = "dsp.squareplus"
// DCE-NEXT: %[[B:.+]] = "dsp.squareplus"
// DCE-NEXT: return %[[A]], %[[B]]
func.func @none(%x: f32) -> (f32, f32) {
  %unused = "dsp.squareplus"(%x) {roundness = 1.0 : f64} : (f32) -> f32
  %a = "dsp.squareplus"(%x) {roundness = 2.0 : f64} : (f32) -> f32
  %b = "dsp.squareplus"(%x) {roundness = 2.0 : f64} : (f32) -> f32
  return %a, %b : f32, f32
}

// Unused reads go; used ones stay, for memory may have changed.

// CHECK-LABEL: func.func @read
// DCE-NEXT: %[[A:.+]] = "dsp.sample"
// DCE-NEXT: %[[W:.+]] = "dsp.emit"
// DCE-NEXT: %[[B:.+]] = "dsp.sample"
// DCE-NEXT: return %[[A]], %[[B]]
func.func @read() -> (f32, f32) {
  %unused = "dsp.sample"() : () -> f32
  %a = "dsp.sample"() : () -> f32
  %w = "dsp.emit"(%a) : (f32) -> f32
  %b = "dsp.sample"() : () -> f32
  return %a, %b : f32, f32
}

// What may do anything stays.

// CHECK-LABEL: func.func @unknown
// CHECK-NEXT: "dsp.unknown"
// CHECK-NEXT: "dsp.unknown"
// CHECK-NEXT: return
func.func @unknown(%x: f32) {
  %a = "dsp.unknown"(%x) : (f32) -> f32
  %b = "dsp.unknown"(%x) : (f32) -> f32
  return
}
