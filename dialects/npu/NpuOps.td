//===- NpuOps.td - operations of the NPU dialect -----------------*- tablegen -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
//
//===--------------------------------------------------------------------------===//

#ifndef SINTER_NPU_OPS_TD
#define SINTER_NPU_OPS_TD

include "NpuAttrs.td"
include "NpuProgram.td"
include "NpuKernel.td"

#endif // SINTER_NPU_OPS_TD
