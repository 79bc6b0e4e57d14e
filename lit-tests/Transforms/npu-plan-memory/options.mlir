// RUN: sinter-opt %s --npu-plan-memory=device=host | FileCheck %s
// RUN: not sinter-opt %s --npu-plan-memory=device=ascend-910b 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: not sinter-opt %s --npu-plan-memory=device=nowhere 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// The device says how large the spaces are; temporaries of a device without scratchpads are plain memory.

// CHECK-LABEL: npu.kernel @temporary
// CHECK-SAME: scratch = {ub = 262144 : i64}
// SMALL: tiles of kernel 'temporary' do not fit ub: the buffers need 262144 bytes, 196608 are there
// UNKNOWN: nowhere
npu.kernel @temporary(%b: index) core(vector) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %t = npu.alloc : memref<65536xf32, #npu.space<ub>>
  npu.compute engine(vector) {
    memref.store %zero, %t[%c0] : memref<65536xf32, #npu.space<ub>>
  }
  npu.return
}
