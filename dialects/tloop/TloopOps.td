//===- TloopOps.td - operations of the tensor loop dialect -------*- tablegen -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
//
//===--------------------------------------------------------------------------===//

#ifndef SINTER_TLOOP_OPS_TD
#define SINTER_TLOOP_OPS_TD

include "TloopAttrs.td"
include "TloopKernel.td"
include "TloopNests.td"
include "TloopTiles.td"

#endif // SINTER_TLOOP_OPS_TD
