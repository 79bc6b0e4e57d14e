// RUN: sinter-opt %s --split-input-file --verify-diagnostics

// Programs and launches.

npu.kernel private @k(%block: index, %x: memref<4xf32>) core(vector) {
  npu.return
}
npu.program @main(%x: memref<4xf32>) -> memref<4xf32> {
  // expected-error @below {{'npu.launch' op refers to 'missing', which does not exist}}
  npu.launch @missing blocks(4) (%x : memref<4xf32>)
  npu.return %x : memref<4xf32>
}

// -----

npu.kernel private @k(%block: index, %x: memref<4xf32>) core(vector) {
  npu.return
}
npu.program @main(%x: memref<4xf32>) -> memref<4xf32> {
  // expected-error @below {{'npu.launch' op launches a 'npu.program', but must launch an 'npu.kernel'}}
  npu.launch @main blocks(4) (%x : memref<4xf32>)
  npu.return %x : memref<4xf32>
}

// -----

npu.kernel private @k(%block: index, %x: memref<4xf32>) core(vector) {
  npu.return
}
npu.program @main(%x: memref<4xf32>) -> memref<4xf32> {
  // expected-error @below {{'npu.launch' op launches 0 blocks}}
  npu.launch @k blocks(0) (%x : memref<4xf32>)
  npu.return %x : memref<4xf32>
}

// -----

npu.kernel private @k(%block: index, %x: memref<4xf32>) core(vector) {
  npu.return
}
npu.program @main(%x: memref<4xf32>) -> memref<4xf32> {
  // expected-error @below {{'npu.launch' op has 2 operands for 1 buffers of the kernel}}
  npu.launch @k blocks(4) (%x, %x : memref<4xf32>, memref<4xf32>)
  npu.return %x : memref<4xf32>
}

// -----

npu.kernel private @k(%block: index, %x: memref<4xf32>) core(vector) {
  npu.return
}
npu.program @main(%x: memref<4xf32>) -> memref<4xf32> {
  %y = npu.buffer : memref<8xf32>
  // expected-error @below {{'npu.launch' op operand 0 is 'memref<8xf32>', but must be 'memref<4xf32>'}}
  npu.launch @k blocks(4) (%y : memref<8xf32>)
  npu.return %x : memref<4xf32>
}

// -----

npu.kernel private @k(%block: index, %x: memref<4xf32>) core(vector) {
  npu.return
}
npu.program @main(%x: memref<4xf32>) -> memref<4xf32> {
  // expected-error @below {{'npu.buffer' op buffer 'memref<4xf32, #npu.space<ub>>' must be in device memory}}
  %y = npu.buffer : memref<4xf32, #npu.space<ub>>
  npu.return %x : memref<4xf32>
}

// -----

npu.kernel private @k(%block: index, %x: memref<4xf32>) core(vector) {
  npu.return
}
npu.program @main(%x: memref<4xf32>) -> memref<4xf32> {
  // expected-error @below {{'npu.view' op offset -1 is negative}}
  %y = npu.view offset -1 : memref<4xf32>
  npu.return %x : memref<4xf32>
}

// -----

npu.kernel private @k(%block: index, %x: memref<4xf32>) core(vector) {
  npu.return
}
npu.program @main(%x: memref<4xf32>) -> memref<4xf32> {
  // expected-error @below {{'npu.constant' op must have either a value or an offset}}
  %w = npu.constant -> memref<4xf32>
  npu.return %x : memref<4xf32>
}

// -----

npu.kernel private @k(%block: index, %x: memref<4xf32>) core(vector) {
  npu.return
}
npu.program @main(%x: memref<4xf32>) -> memref<4xf32> {
  // expected-error @below {{'npu.constant' op must have either a value or an offset}}
  %w = npu.constant value dense<0.0> : tensor<4xf32> offset 0 -> memref<4xf32>
  npu.return %x : memref<4xf32>
}

// -----

npu.kernel private @k(%block: index, %x: memref<4xf32>) core(vector) {
  npu.return
}
npu.program @main(%x: memref<4xf32>) -> memref<4xf32> {
  // expected-error @below {{'npu.constant' op value of type 'tensor<8xf32>' does not fit 'memref<4xf32>'}}
  %w = npu.constant value dense<0.0> : tensor<8xf32> -> memref<4xf32>
  npu.return %x : memref<4xf32>
}

// -----

npu.kernel private @k(%block: index, %x: memref<4xf32>) core(vector) {
  npu.return
}
npu.program @main(%x: memref<4xf32>) -> memref<4xf32> {
  // expected-error @below {{'npu.constant' op constant 'memref<4xf32, #npu.space<ub>>' must be in device memory}}
  %w = npu.constant offset 0 -> memref<4xf32, #npu.space<ub>>
  npu.return %x : memref<4xf32>
}

// -----

npu.program @main(%x: memref<4xf32>) -> memref<4xf32> {
  // expected-error @below {{'npu.return' op has 0 values for 1 results}}
  npu.return
}

// -----

npu.program @main(%x: memref<4xf32>) -> memref<8xf32> {
  // expected-error @below {{'npu.return' op value 0 is 'memref<4xf32>', but must be 'memref<8xf32>'}}
  npu.return %x : memref<4xf32>
}

// -----

// expected-error @below {{'npu.program' op has 'i64' in its type, but takes and gives memrefs}}
npu.program @main(%x: i64) {
  npu.return
}
