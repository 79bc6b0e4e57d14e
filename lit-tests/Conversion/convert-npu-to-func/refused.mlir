// RUN: sinter-opt %s --convert-npu-to-func --split-input-file --verify-diagnostics

// expected-error @below {{a tile has no offset: run npu-plan-memory}}
module {
  npu.kernel @temporary(%b: index) core(vector) {
    %t = npu.alloc : memref<16xf32, #npu.space<ub>>
    npu.return
  }
}

// -----

// expected-error @below {{a tile has no offset: run npu-plan-memory}}
module {
  npu.kernel @transfer(%b: index, %x: memref<16xf32>) core(vector) {
    %t = npu.alloc : memref<16xf32, #npu.space<ub>>
    %in = npu.copy %x[0], %t[0] sizes [16] engine(mte2) : memref<16xf32>, memref<16xf32, #npu.space<ub>>
    npu.wait %in
    npu.return
  }
}

// -----

// expected-error @below {{a transfer with a post_op has no lowering}}
module {
  npu.kernel @function(%b: index, %y: memref<16x16xf32>) core(cube) {
    %c = npu.alloc offset 0 : memref<16x16xf32, #npu.space<l0c>>
    %out = npu.copy %c[0, 0], %y[0, 0] sizes [16, 16] engine(fixpipe) post_op "relu" : memref<16x16xf32, #npu.space<l0c>>, memref<16x16xf32>
    npu.wait %out
    npu.return
  }
}
