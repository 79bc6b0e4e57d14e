// RUN: sinter-opt %s --npu-verify-plan --split-input-file --verify-diagnostics

npu.kernel @k(%b: index, %x: memref<16xf32>, %y: memref<16xf32>) core(vector) attributes {inputs = 1 : i64} {
  npu.return
}
npu.program @outside(%x: memref<16xf32>) attributes {arena_bytes = 64 : i64} {
  // expected-error @below {{bytes 32..96 are outside the arena of 64}}
  %a = npu.view offset 32 : memref<16xf32>
  npu.launch @k blocks(1) (%x, %a : memref<16xf32>, memref<16xf32>)
  npu.return
}

// -----

npu.kernel @k(%b: index, %x: memref<16xf32>, %y: memref<16xf32>) core(vector) attributes {inputs = 1 : i64} {
  npu.return
}
npu.program @taken(%x: memref<16xf32>) -> memref<16xf32> attributes {arena_bytes = 128 : i64} {
  %a = npu.view offset 0 : memref<16xf32>
  %b = npu.view offset 32 : memref<16xf32>
  %y = npu.buffer : memref<16xf32>
  npu.launch @k blocks(1) (%x, %a : memref<16xf32>, memref<16xf32>)
  npu.barrier
  npu.launch @k blocks(1) (%x, %b : memref<16xf32>, memref<16xf32>)
  npu.barrier
  // expected-error @below {{reads the buffer at 0..64, of which 32..96 was overwritten}}
  npu.launch @k blocks(1) (%a, %y : memref<16xf32>, memref<16xf32>)
  npu.return %y : memref<16xf32>
}

// -----

npu.kernel @k(%b: index, %x: memref<16xf32>, %y: memref<16xf32>) core(vector) attributes {inputs = 1 : i64} {
  npu.return
}
npu.program @unwritten() -> memref<16xf32> attributes {arena_bytes = 64 : i64} {
  %a = npu.view offset 0 : memref<16xf32>
  %y = npu.buffer : memref<16xf32>
  // expected-error @below {{reads the buffer at 0..64, which nothing has written}}
  npu.launch @k blocks(1) (%a, %y : memref<16xf32>, memref<16xf32>)
  npu.return %y : memref<16xf32>
}

// -----

npu.kernel @k(%b: index, %x: memref<16xf32>, %y: memref<16xf32>) core(vector) attributes {inputs = 1 : i64} {
  npu.return
}
npu.program @phase(%x: memref<16xf32>) attributes {arena_bytes = 64 : i64} {
  %a = npu.view offset 0 : memref<16xf32>
  %b = npu.view offset 0 : memref<16xf32>
  npu.launch @k blocks(1) (%x, %a : memref<16xf32>, memref<16xf32>)
  // expected-error @below {{touches 0..64 while a launch that may run at the same time touches 0..64}}
  npu.launch @k blocks(1) (%x, %b : memref<16xf32>, memref<16xf32>)
  npu.return
}

// -----

npu.kernel @k(%b: index, %x: memref<16xf32>, %y: memref<16xf32>) core(vector) attributes {inputs = 1 : i64} {
  npu.return
}
npu.program @in_place(%x: memref<16xf32>) attributes {arena_bytes = 64 : i64} {
  %a = npu.view offset 0 : memref<16xf32>
  %b = npu.view offset 0 : memref<16xf32>
  npu.launch @k blocks(1) (%x, %a : memref<16xf32>, memref<16xf32>)
  npu.barrier
  // expected-error @below {{writes 0..64 over its own input at 0..64}}
  npu.launch @k blocks(1) (%a, %b : memref<16xf32>, memref<16xf32>)
  npu.return
}

// -----

npu.kernel @k(%b: index, %x: memref<16xf32>, %y: memref<16xf32>) core(vector) attributes {inputs = 0 : i64} {
  npu.return
}
npu.kernel @r(%b: index, %x: memref<16xf32>, %y: memref<16xf32>) core(vector) attributes {inputs = 1 : i64} {
  npu.return
}
npu.program @one_buffer(%x: memref<16xf32>) attributes {arena_bytes = 64 : i64} {
  %a = npu.view offset 0 : memref<16xf32>
  // expected-error @below {{writes 0..64 twice}}
  npu.launch @k blocks(1) (%a, %a : memref<16xf32>, memref<16xf32>)
  npu.barrier
  // expected-error @below {{writes its own input at 0..64}}
  npu.launch @r blocks(1) (%a, %a : memref<16xf32>, memref<16xf32>)
  npu.return
}
