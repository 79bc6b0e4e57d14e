// RUN: sinter-opt %s --split-input-file --verify-diagnostics

// Matrix steps.

npu.kernel @k(%block: index) core(cube) {
  %a = npu.alloc : memref<16x32xf16, #npu.space<l0a>>
  %b = npu.alloc : memref<64x16xf16, #npu.space<l0b>>
  %c = npu.alloc : memref<16x16xf32, #npu.space<l0c>>
  // expected-error @below {{'npu.mma' op 'memref<16x32xf16, #npu.space<l0a>>' and 'memref<64x16xf16, #npu.space<l0b>>' do not share K}}
  npu.mma %a, %b into %c : memref<16x32xf16, #npu.space<l0a>>, memref<64x16xf16, #npu.space<l0b>>, memref<16x16xf32, #npu.space<l0c>>
  npu.return
}

// -----

npu.kernel @k(%block: index) core(cube) {
  %a = npu.alloc : memref<16x64xf16, #npu.space<l0a>>
  %b = npu.alloc : memref<64x16xf16, #npu.space<l0b>>
  %c = npu.alloc : memref<16x8xf32, #npu.space<l0c>>
  // expected-error @below {{'npu.mma' op acc 'memref<16x8xf32, #npu.space<l0c>>' does not have M and N}}
  npu.mma %a, %b into %c : memref<16x64xf16, #npu.space<l0a>>, memref<64x16xf16, #npu.space<l0b>>, memref<16x8xf32, #npu.space<l0c>>
  npu.return
}

// -----

npu.kernel @k(%block: index) core(cube) {
  %a = npu.alloc : memref<64xf16, #npu.space<l0a>>
  %b = npu.alloc : memref<64x16xf16, #npu.space<l0b>>
  %c = npu.alloc : memref<16x16xf32, #npu.space<l0c>>
  // expected-error @below {{'npu.mma' op lhs is 'memref<64xf16, #npu.space<l0a>>', but must have at least two dimensions}}
  npu.mma %a, %b into %c : memref<64xf16, #npu.space<l0a>>, memref<64x16xf16, #npu.space<l0b>>, memref<16x16xf32, #npu.space<l0c>>
  npu.return
}

// -----

npu.kernel @k(%block: index) core(cube) {
  %a = npu.alloc : memref<2x16x64xf16, #npu.space<l0a>>
  %b = npu.alloc : memref<64x16xf16, #npu.space<l0b>>
  %c = npu.alloc : memref<16x16xf32, #npu.space<l0c>>
  // expected-error @below {{'npu.mma' op has 2 dimensions of rhs for 3 of lhs}}
  npu.mma %a, %b into %c : memref<2x16x64xf16, #npu.space<l0a>>, memref<64x16xf16, #npu.space<l0b>>, memref<16x16xf32, #npu.space<l0c>>
  npu.return
}

// -----

npu.kernel @k(%block: index) core(cube) {
  %a = npu.alloc : memref<16x64xf16, #npu.space<l0a>>
  %b = npu.alloc : memref<64x16xf16, #npu.space<l0b>>
  %c = npu.alloc : memref<1x16x16xf32, #npu.space<l0c>>
  // expected-error @below {{'npu.mma' op has 3 dimensions of acc for 2 of lhs}}
  npu.mma %a, %b into %c : memref<16x64xf16, #npu.space<l0a>>, memref<64x16xf16, #npu.space<l0b>>, memref<1x16x16xf32, #npu.space<l0c>>
  npu.return
}

// -----

npu.kernel @k(%block: index) core(cube) {
  %a = npu.alloc : memref<2x16x64xf16, #npu.space<l0a>>
  %b = npu.alloc : memref<3x64x16xf16, #npu.space<l0b>>
  %c = npu.alloc : memref<2x16x16xf32, #npu.space<l0c>>
  // expected-error @below {{'npu.mma' op 'memref<2x16x64xf16, #npu.space<l0a>>', 'memref<3x64x16xf16, #npu.space<l0b>>' and 'memref<2x16x16xf32, #npu.space<l0c>>' do not share their batch}}
  npu.mma %a, %b into %c : memref<2x16x64xf16, #npu.space<l0a>>, memref<3x64x16xf16, #npu.space<l0b>>, memref<2x16x16xf32, #npu.space<l0c>>
  npu.return
}

// -----

npu.kernel @k(%block: index) core(cube) {
  %a = npu.alloc : memref<16x64xi8, #npu.space<l0a>>
  %b = npu.alloc : memref<64x16xi8, #npu.space<l0b>>
  %c = npu.alloc : memref<16x16xf32, #npu.space<l0c>>
  // expected-error @below {{'npu.mma' op multiplies 'i8', but must multiply 'f16', 'bf16' or 'f32'}}
  npu.mma %a, %b into %c : memref<16x64xi8, #npu.space<l0a>>, memref<64x16xi8, #npu.space<l0b>>, memref<16x16xf32, #npu.space<l0c>>
  npu.return
}

// -----

npu.kernel @k(%block: index) core(cube) {
  %a = npu.alloc : memref<16x64xf16, #npu.space<l0a>>
  %b = npu.alloc : memref<64x16xf16, #npu.space<l0b>>
  %c = npu.alloc : memref<16x16xf16, #npu.space<l0c>>
  // expected-error @below {{'npu.mma' op adds up 'f16', but must add up 'f32'}}
  npu.mma %a, %b into %c : memref<16x64xf16, #npu.space<l0a>>, memref<64x16xf16, #npu.space<l0b>>, memref<16x16xf16, #npu.space<l0c>>
  npu.return
}

// -----

npu.kernel @k(%block: index) core(cube) {
  %a = npu.alloc : memref<16x64xf16, #npu.space<l0a>>
  %b = npu.alloc : memref<64x16xf32, #npu.space<l0b>>
  %c = npu.alloc : memref<16x16xf32, #npu.space<l0c>>
  // expected-error @below {{'npu.mma' op rhs element 0 is 'f32', but must be 'f16'}}
  npu.mma %a, %b into %c : memref<16x64xf16, #npu.space<l0a>>, memref<64x16xf32, #npu.space<l0b>>, memref<16x16xf32, #npu.space<l0c>>
  npu.return
}

// -----

npu.kernel @k(%block: index) core(cube) {
  %a = npu.alloc : memref<16x64xf16, #npu.space<ub>>
  %b = npu.alloc : memref<64x16xf16, #npu.space<l0b>>
  %c = npu.alloc : memref<16x16xf32, #npu.space<l0c>>
  // expected-error @below {{'npu.mma' op operand 'memref<16x64xf16, #npu.space<ub>>' must be in 'l0a'}}
  npu.mma %a, %b into %c : memref<16x64xf16, #npu.space<ub>>, memref<64x16xf16, #npu.space<l0b>>, memref<16x16xf32, #npu.space<l0c>>
  npu.return
}
