// RUN: sinter-opt %s --allow-unregistered-dialect | sinter-opt --allow-unregistered-dialect | FileCheck %s
// RUN: sinter-opt %s --allow-unregistered-dialect --mlir-print-op-generic | sinter-opt --allow-unregistered-dialect | FileCheck %s
// RUN: sinter-opt %s --allow-unregistered-dialect --emit-bytecode | sinter-opt --allow-unregistered-dialect | FileCheck %s

// Spaces, engines, cores and tokens.

// CHECK-LABEL: func.func private @attributes(!npu.token, memref<4xf32, #npu.space<ub>>)
// CHECK-SAME: test.cores = [#npu<core vector>, #npu<core cube>, #npu<core mix>]
// CHECK-SAME: test.engines = [#npu<engine(scalar)>, #npu<engine(vector)>, #npu<engine(cube)>, #npu<engine(mte1)>, #npu<engine(mte2)>, #npu<engine(mte3)>, #npu<engine(fixpipe)>]
// CHECK-SAME: test.spaces = [#npu.space<gm>, #npu.space<l1>, #npu.space<l0a>, #npu.space<l0b>, #npu.space<l0c>, #npu.space<ub>]
func.func private @attributes(!npu.token, memref<4xf32, #npu.space<ub>>) attributes {
  test.cores = [#npu<core vector>, #npu<core cube>, #npu<core mix>],
  test.engines = [#npu<engine(scalar)>, #npu<engine(vector)>, #npu<engine(cube)>, #npu<engine(mte1)>, #npu<engine(mte2)>, #npu<engine(mte3)>, #npu<engine(fixpipe)>],
  test.spaces = [#npu.space<gm>, #npu.space<l1>, #npu.space<l0a>, #npu.space<l0b>, #npu.space<l0c>, #npu.space<ub>]
}
