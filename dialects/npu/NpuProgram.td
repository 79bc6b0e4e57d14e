//===- NpuProgram.td - programs: launches on device buffers ------*- tablegen -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
//
//===--------------------------------------------------------------------------===//

#ifndef SINTER_NPU_PROGRAM_TD
#define SINTER_NPU_PROGRAM_TD

include "NpuAttrs.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Npu_ProgramOp : Npu_Op<"program",
    [IsolatedFromAbove, Symbol, FunctionOpInterface, AutomaticAllocationScope]> {
  let summary = "a whole model: launches in order, one arena";
  let description = [{
    Arguments are the model's inputs, results its outputs. `arena_bytes` is there once buffers are
    planned.

    Example:

    ```mlir
    npu.program @main(%x: memref<4x16xf32>) -> memref<4x16xf32> {
      %y = npu.buffer : memref<4x16xf32>
      npu.launch @relu blocks(4) (%x, %y : memref<4x16xf32>, memref<4x16xf32>)
      npu.return %y : memref<4x16xf32>
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<StrAttr>:$sym_visibility,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs,
    OptionalAttr<I64Attr>:$arena_bytes);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}

def Npu_BufferOp : Npu_Op<"buffer"> {
  let summary = "a virtual buffer of the arena";
  let description = [{
    Has no place yet. `npu-plan-arena` turns it into a `npu.view`.

    Example:

    ```mlir
    %b = npu.buffer : memref<1x56x56x64xf32>
    ```
  }];
  let results = (outs Res<SinterBuffer, "", [MemAlloc]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Npu_ViewOp : Npu_Op<"view", [Pure]> {
  let summary = "a part of the arena";
  let description = [{
    `offset` counts bytes from the start of the arena.

    Example:

    ```mlir
    %b = npu.view offset 4096 : memref<1x56x56x64xf32>
    ```
  }];
  let arguments = (ins I64Attr:$offset);
  let results = (outs SinterBuffer:$result);
  let assemblyFormat = "`offset` $offset attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Npu_ConstantOp : Npu_Op<"constant", [Pure]> {
  let summary = "a constant in the model file";
  let description = [{
    Holds its value until the model file is laid out, then the offset in it. Never becomes a global of
    the code.

    Example:

    ```mlir
    %w = npu.constant value dense_resource<conv1.weight> : tensor<64x147xf32> -> memref<64x147xf32>
    %v = npu.constant offset 8192 -> memref<64xf32>
    ```
  }];
  let arguments = (ins OptionalAttr<ElementsAttr>:$value, OptionalAttr<I64Attr>:$offset);
  let results = (outs SinterBuffer:$result);
  let assemblyFormat = [{
    (`value` $value^)? (`offset` $offset^)? attr-dict `->` type($result)
  }];
  let hasVerifier = 1;
}

def Npu_LaunchOp : Npu_Op<"launch", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a kernel on a number of blocks";
  let description = [{
    Operands are the kernel's arguments but for its first, the block. Launches between two barriers are
    independent of each other.

    Example:

    ```mlir
    npu.launch @relu blocks(4) (%x, %y : memref<4x16xf32>, memref<4x16xf32>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, I64Attr:$blocks, Variadic<SinterBuffer>:$operands);
  let assemblyFormat = [{
    $kernel `blocks` `(` $blocks `)` `(` ($operands^ `:` type($operands))? `)` attr-dict
  }];
  let hasVerifier = 1;
}

def Npu_BarrierOp : Npu_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "all launches before it are done";
  let description = [{
    Example:

    ```mlir
    npu.barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Npu_ReturnOp : Npu_Op<"return", [Pure, Terminator, ReturnLike,
    ParentOneOf<["ProgramOp", "KernelOp"]>]> {
  let summary = "end of a program or kernel";
  let description = [{
    Example:

    ```mlir
    npu.return %y : memref<4x16xf32>
    ```
  }];
  let arguments = (ins Variadic<SinterBuffer>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let hasVerifier = 1;
}

#endif // SINTER_NPU_PROGRAM_TD
