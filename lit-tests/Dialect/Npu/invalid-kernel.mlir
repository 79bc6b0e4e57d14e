// RUN: sinter-opt %s --split-input-file --verify-diagnostics

// Kernels, tiles, engines.

// expected-error @below {{'npu.kernel' op argument 0 must be the block's number, of type 'index'}}
npu.kernel @k(%x: memref<4xf32>) core(vector) {
  npu.return
}

// -----

// expected-error @below {{'npu.kernel' op argument 1 is 'i64', but must be a memref}}
npu.kernel @k(%block: index, %n: i64) core(vector) {
  npu.return
}

// -----

// expected-error @below {{custom op 'npu.kernel' 'scalar' is none of vector, cube, mix}}
npu.kernel @k(%block: index) core(scalar) {
  npu.return
}

// -----

// expected-error @below {{'npu.kernel' op has 1 results, but a kernel has none}}
npu.kernel @k(%block: index) -> memref<4xf32> core(vector) {
  npu.return
}

// -----

// expected-error @below {{'npu.kernel' op argument 1 'memref<16xf32, #npu.space<ub>>' must be in device memory}}
npu.kernel @k(%block: index, %x: memref<16xf32, #npu.space<ub>>) core(vector) {
  npu.return
}

// -----

npu.kernel @k(%block: index) core(vector) {
  // expected-error @below {{'npu.alloc' op tile 'memref<16xf32>' must be in an on-chip space}}
  %t = npu.alloc : memref<16xf32>
  npu.return
}

// -----

npu.kernel @k(%block: index) core(vector) {
  // expected-error @below {{'npu.alloc' op tile 'memref<?xf32, #npu.space<ub>>' must have known extents}}
  %t = npu.alloc : memref<?xf32, #npu.space<ub>>
  npu.return
}

// -----

npu.kernel @k(%block: index) core(vector) {
  // expected-error @below {{'npu.alloc' op offset -4 is negative}}
  %t = npu.alloc offset -4 : memref<16xf32, #npu.space<ub>>
  npu.return
}

// -----

npu.kernel @k(%block: index, %x: memref<4xf32>) core(vector) {
  // expected-error @below {{'npu.release' op tile 'memref<4xf32>' must be in an on-chip space}}
  npu.release %x : memref<4xf32>
  npu.return
}

// -----

npu.kernel @k(%block: index) core(vector) {
  // expected-error @below {{'npu.sync' op is in a 'vector' kernel, which has one core}}
  npu.sync
  npu.return
}

// -----

func.func @f() {
  // expected-error @below {{'npu.sync' op is not inside a kernel}}
  npu.sync
  return
}

// -----

npu.kernel @k(%block: index) core(vector) {
  // expected-error @below {{'npu.compute' op engine 'mte2' does not compute}}
  npu.compute engine(mte2) {
  }
  npu.return
}

// -----

npu.kernel @k(%block: index) core(vector) {
  // expected-error @below {{custom op 'npu.compute' failed to parse Npu_EngineAttr parameter 'value' which is to be a `::sinter::npu::EngineKind`}}
  // expected-error @below {{custom op 'npu.compute' expected ::sinter::npu::EngineKind to be one of: scalar, vector, cube, mte1, mte2, mte3, fixpipe}}
  npu.compute engine(turbo) {
  }
  npu.return
}

// -----

npu.kernel @k(%block: index) core(vector) {
  // expected-error @below {{'npu.compute' op holds 'npu.barrier', which is not plain code}}
  npu.compute engine(vector) {
    npu.barrier
  }
  npu.return
}

// -----

npu.kernel @k(%block: index) core(vector) {
  // expected-error @below {{'npu.wait' op waits for nothing}}
  "npu.wait"() : () -> ()
  npu.return
}
