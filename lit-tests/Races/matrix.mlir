// REQUIRES: sinter
// RUN: %python %S/../Inputs/delete_waits.py %s %t | FileCheck %s

// A product: each operand goes through L1 to its buffer of the matrix unit.

// CHECK: 5 waits deleted, 0 missed
npu.kernel @product(%block: index, %x: memref<8x8xf32>, %w: memref<8x8xf32>, %y: memref<8x8xf32>) core(cube)
    attributes {inputs = 2 : i64, outputs = 1 : i64,
                scratch = {l1 = 512 : i64, l0a = 256 : i64, l0b = 256 : i64, l0c = 256 : i64}} {
  %xl = npu.alloc offset 0 : memref<8x8xf32, #npu.space<l1>>
  %wl = npu.alloc offset 256 : memref<8x8xf32, #npu.space<l1>>
  %a = npu.alloc offset 0 : memref<8x8xf32, #npu.space<l0a>>
  %b = npu.alloc offset 0 : memref<8x8xf32, #npu.space<l0b>>
  %c = npu.alloc offset 0 : memref<8x8xf32, #npu.space<l0c>>
  %x1 = npu.copy %x[0, 0], %xl[0, 0] sizes [8, 8] engine(mte2) : memref<8x8xf32>, memref<8x8xf32, #npu.space<l1>>
  %w1 = npu.copy %w[0, 0], %wl[0, 0] sizes [8, 8] engine(mte2) : memref<8x8xf32>, memref<8x8xf32, #npu.space<l1>>
  npu.wait %x1
  %x2 = npu.copy %xl[0, 0], %a[0, 0] sizes [8, 8] engine(mte1) : memref<8x8xf32, #npu.space<l1>>, memref<8x8xf32, #npu.space<l0a>>
  npu.wait %w1
  %w2 = npu.copy %wl[0, 0], %b[0, 0] sizes [8, 8] engine(mte1) : memref<8x8xf32, #npu.space<l1>>, memref<8x8xf32, #npu.space<l0b>>
  npu.wait %x2, %w2
  npu.mma %a, %b into %c init : memref<8x8xf32, #npu.space<l0a>>, memref<8x8xf32, #npu.space<l0b>>, memref<8x8xf32, #npu.space<l0c>>
  %out = npu.copy %c[0, 0], %y[0, 0] sizes [8, 8] engine(fixpipe) : memref<8x8xf32, #npu.space<l0c>>, memref<8x8xf32>
  npu.wait %out
  npu.return
}
npu.program @main(%x: memref<64xf32> {graph.name = "x"}, %w: memref<64xf32> {graph.name = "w"})
    -> (memref<64xf32> {graph.name = "y"}) attributes {arena_bytes = 0 : i64} {
  %y = npu.buffer : memref<64xf32>
  npu.launch @product blocks(1) (%x, %w, %y : memref<64xf32>, memref<64xf32>, memref<64xf32>)
  npu.return %y : memref<64xf32>
}
