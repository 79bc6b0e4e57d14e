//===- NpuDialect.td - the NPU kernel dialect --------------------*- tablegen -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
//
//===--------------------------------------------------------------------------===//

#ifndef SINTER_NPU_DIALECT_TD
#define SINTER_NPU_DIALECT_TD

include "Common.td"

def Npu_Dialect : Dialect {
  let name = "npu";
  let summary = "Memory spaces, transfers, engines and launches";
  let description = [{
    Programs and kernels on memrefs. A program orders launches on device buffers; a kernel is what one
    core does for one block: tiles in on-chip spaces, transfers on engines, compute regions of plain
    `scf`, `vector`, `memref`, `arith` and `math`.

    Until `npu-insert-sync` operations run one after the other. After it, a transfer is done only where
    its token has been waited for.
  }];
  let cppNamespace = "::sinter::npu";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

class Npu_Op<string mnemonic, list<Trait> traits = []> : Op<Npu_Dialect, mnemonic, traits>;

#endif // SINTER_NPU_DIALECT_TD
