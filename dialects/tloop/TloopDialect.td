//===- TloopDialect.td - the tensor loop dialect -----------------*- tablegen -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
//
//===--------------------------------------------------------------------------===//

#ifndef SINTER_TLOOP_DIALECT_TD
#define SINTER_TLOOP_DIALECT_TD

include "Common.td"

def Tloop_Dialect : Dialect {
  let name = "tloop";
  let summary = "Iteration domains, accesses and schedules";
  let description = [{
    One `tloop.kernel` per launch. Its stages are loop nests that say which points they visit, which
    elements they read and write there, and what they compute, but not in which order: that is the
    kernel's schedule, made real step by step. Works on tensors until `tloop-bufferize`, on memrefs
    afterwards.
  }];
  let cppNamespace = "::sinter::tloop";
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
}

class Tloop_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tloop_Dialect, mnemonic, traits>;

class Tloop_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Tloop_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

#endif // SINTER_TLOOP_DIALECT_TD
