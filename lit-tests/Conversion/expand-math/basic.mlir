// RUN: sinter-opt %s --expand-math | FileCheck %s

// Functions without an instruction become arithmetic, on scalars and vectors; those with one stay.

// CHECK-LABEL: func.func @expanded
// CHECK-NOT: math.{{exp|exp2|log|tanh|erf|sin|cos|powf}}
// CHECK: math.fma {{.+}} : vector<8xf32>
// CHECK-NOT: math.{{exp|exp2|log|tanh|erf|sin|cos|powf}}
// CHECK: return
func.func @expanded(%x: vector<8xf32>, %s: f32) -> (vector<8xf32>, f32) {
  %0 = math.exp %x : vector<8xf32>
  %1 = math.tanh %0 : vector<8xf32>
  %2 = math.erf %1 : vector<8xf32>
  %3 = math.sin %2 : vector<8xf32>
  %4 = math.log %3 : vector<8xf32>
  %5 = math.powf %s, %s : f32
  %6 = math.cos %5 : f32
  %7 = math.exp2 %6 : f32
  return %4, %7 : vector<8xf32>, f32
}

// CHECK-LABEL: func.func @kept
// CHECK-NEXT: math.sqrt
// CHECK-NEXT: math.floor
// CHECK-NEXT: math.absf
// CHECK-NEXT: return
func.func @kept(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.sqrt %x : vector<8xf32>
  %1 = math.floor %0 : vector<8xf32>
  %2 = math.absf %1 : vector<8xf32>
  return %2 : vector<8xf32>
}

// Half precision is computed in single.

// CHECK-LABEL: func.func @half
// CHECK: arith.extf {{.+}} : f16 to f32
// CHECK: arith.truncf {{.+}} : f32 to f16
func.func @half(%x: f16) -> f16 {
  %0 = math.exp %x : f16
  return %0 : f16
}
