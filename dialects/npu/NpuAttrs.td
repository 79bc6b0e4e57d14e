//===- NpuAttrs.td - attributes and types of the NPU dialect -----*- tablegen -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
//
//===--------------------------------------------------------------------------===//

#ifndef SINTER_NPU_ATTRS_TD
#define SINTER_NPU_ATTRS_TD

include "NpuDialect.td"

class Npu_Enum<string name, string what, list<I32EnumAttrCase> cases> : I32EnumAttr<name, what, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::sinter::npu";
}

def Npu_SpaceKind : Npu_Enum<"SpaceKind", "memory space", [
  I32EnumAttrCase<"Gm", 0, "gm">, I32EnumAttrCase<"L1", 1, "l1">,
  I32EnumAttrCase<"L0a", 2, "l0a">, I32EnumAttrCase<"L0b", 3, "l0b">,
  I32EnumAttrCase<"L0c", 4, "l0c">, I32EnumAttrCase<"Ub", 5, "ub">]>;

def Npu_EngineKind : Npu_Enum<"EngineKind", "engine", [
  I32EnumAttrCase<"Scalar", 0, "scalar">, I32EnumAttrCase<"Vector", 1, "vector">,
  I32EnumAttrCase<"Cube", 2, "cube">, I32EnumAttrCase<"Mte1", 3, "mte1">,
  I32EnumAttrCase<"Mte2", 4, "mte2">, I32EnumAttrCase<"Mte3", 5, "mte3">,
  I32EnumAttrCase<"Fixpipe", 6, "fixpipe">]>;

def Npu_CoreKind : Npu_Enum<"CoreKind", "core kind", [
  I32EnumAttrCase<"Vector", 0, "vector">, I32EnumAttrCase<"Cube", 1, "cube">,
  I32EnumAttrCase<"Mix", 2, "mix">]>;

def Npu_SpaceAttr : EnumAttr<Npu_Dialect, Npu_SpaceKind, "space"> {
  let summary = "memory space of a memref";
  let description = [{
    `gm` is device memory (as is a memref without a space); `l1`, `l0a`, `l0b`, `l0c` belong to the
    matrix unit, `ub` to the vector unit.

    ```mlir
    memref<64x64xf32, #npu.space<ub>>
    ```
  }];
  let assemblyFormat = "`<` $value `>`";
}

def Npu_EngineAttr : EnumAttr<Npu_Dialect, Npu_EngineKind, "engine"> {
  let summary = "what carries out an operation";
  let description = [{
    `mte2` moves from device memory inwards, `mte1` within the matrix unit's memories, `mte3` and
    `fixpipe` outwards.

    ```mlir
    npu.compute engine(vector) { npu.yield }
    ```
  }];
  let assemblyFormat = "`(` $value `)`";
}

def Npu_CoreAttr : EnumAttr<Npu_Dialect, Npu_CoreKind, "core"> {
  let summary = "kind of core that runs a kernel";
  let description = [{
    `mix` is a group of one matrix core and its vector cores.

    ```mlir
    npu.kernel @k(%block: index) core(vector) { npu.return }
    ```
  }];
}

def Npu_TokenType : TypeDef<Npu_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "a transfer under way";
  let description = [{
    ```mlir
    %t = npu.copy %a[0], %b[0] sizes [64] engine(mte2) : memref<64xf32>, memref<64xf32, #npu.space<ub>>
    npu.wait %t
    ```
  }];
}

#endif // SINTER_NPU_ATTRS_TD
