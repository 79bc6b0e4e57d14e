// RUN: sinter-opt %s --npu-plan-memory=device=ascend-910b --verify-diagnostics

// Tiles that do not fit the space together.

// expected-error @below {{tiles of kernel 'big' do not fit ub}}
module {
npu.kernel @big(%b: index, %x: memref<32768xf32>) core(vector) {
  %t = npu.alloc : memref<32768xf32, #npu.space<ub>>
  %u = npu.alloc : memref<32768xf32, #npu.space<ub>>
  %a = npu.copy %x[0], %t[0] sizes [32768] engine(mte2) : memref<32768xf32>, memref<32768xf32, #npu.space<ub>>
  %c = npu.copy %x[0], %u[0] sizes [32768] engine(mte2) : memref<32768xf32>, memref<32768xf32, #npu.space<ub>>
  npu.wait %a, %c
  npu.return
}
}
