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
