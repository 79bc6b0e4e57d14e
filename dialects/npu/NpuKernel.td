//===- NpuKernel.td - what one core does for one block -----------*- tablegen -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
//
//===--------------------------------------------------------------------------===//

#ifndef SINTER_NPU_KERNEL_TD
#define SINTER_NPU_KERNEL_TD

include "NpuAttrs.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"

def Npu_KernelOp : Npu_Op<"kernel",
    [IsolatedFromAbove, Symbol, FunctionOpInterface, AutomaticAllocationScope]> {
  let summary = "what one core does for one block";
  let description = [{
    The first argument is the block's number, the others are device buffers. `scratch` holds, once tiles
    are planned, the bytes used of each space.

    Example:

    ```mlir
    npu.kernel @relu(%block: index, %x: memref<4x16xf32>, %y: memref<4x16xf32>) core(vector) {
      npu.compute engine(vector) {
        %c0 = arith.constant 0 : index
        %zero = arith.constant dense<0.0> : vector<16xf32>
        %v = vector.load %x[%block, %c0] : memref<4x16xf32>, vector<16xf32>
        %r = arith.maximumf %v, %zero : vector<16xf32>
        vector.store %r, %y[%block, %c0] : memref<4x16xf32>, vector<16xf32>
      }
      npu.return
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<StrAttr>:$sym_visibility,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs,
    Npu_CoreAttr:$core,
    OptionalAttr<DictionaryAttr>:$scratch);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}

def Npu_AllocOp : Npu_Op<"alloc"> {
  let summary = "a tile in an on-chip space";
  let description = [{
    `offset` is there once tiles are planned, in bytes from the start of the space.

    Example:

    ```mlir
    %t = npu.alloc : memref<64x64xf32, #npu.space<ub>>
    %u = npu.alloc offset 16384 : memref<64x64xf32, #npu.space<ub>>
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs Res<SinterBuffer, "", [MemAlloc]>:$result);
  let assemblyFormat = "(`offset` $offset^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Npu_ReleaseOp : Npu_Op<"release"> {
  let summary = "end of a tile's life";
  let description = [{
    Example:

    ```mlir
    npu.release %t : memref<64x64xf32, #npu.space<ub>>
    ```
  }];
  let arguments = (ins Arg<SinterBuffer, "", [MemFree]>:$tile);
  let assemblyFormat = "$tile attr-dict `:` type($tile)";
  let hasVerifier = 1;
}

def Npu_CopyOp : Npu_Op<"copy", [AttrSizedOperandSegments]> {
  let summary = "a strided transfer between spaces";
  let description = [{
    Offsets are one per dimension of the source and of the target; `sizes` cover the last dimensions
    of both, earlier ones count as one element. A side with a map takes the elements at the map of each
    point of the box of `sizes` instead, from its offsets on; the map's results are sums of multiples of
    its dimensions. That is a transposition, a stride, or the rearrangement of an image to the rows of a
    matrix. Done once the token has been waited for. `post_op` is a fixed function of the route's engine
    (`relu` on the way out of `l0c`).

    Example:

    ```mlir
    %tok = npu.copy %x[0, %i, 0], %t[0, 0] sizes [%n, 64] engine(mte2)
      : memref<1x56x64xf32>, memref<8x64xf32, #npu.space<ub>>
    %img = npu.copy %x1[%kh, %kw, 0] along affine_map<(h, w, c) -> (h * 2, w * 2, c)>,
        %a[0, 0] along affine_map<(h, w, c) -> (h * 7 + w, c)> sizes [4, 7, 16] engine(mte1)
      : memref<9x15x16xf32, #npu.space<l1>>, memref<28x16xf32, #npu.space<l0a>>
    ```
  }];
  let arguments = (ins
    Arg<SinterBuffer, "", [MemRead]>:$source,
    Arg<SinterBuffer, "", [MemWrite]>:$target,
    Variadic<Index>:$source_offsets, Variadic<Index>:$target_offsets, Variadic<Index>:$sizes,
    DenseI64ArrayAttr:$static_source_offsets, DenseI64ArrayAttr:$static_target_offsets,
    DenseI64ArrayAttr:$static_sizes,
    OptionalAttr<AffineMapAttr>:$source_map, OptionalAttr<AffineMapAttr>:$target_map,
    Npu_EngineAttr:$engine,
    OptionalAttr<OneOf<["relu"]>>:$post_op);
  let results = (outs Npu_TokenType:$token);
  let assemblyFormat = [{
    $source `` custom<DynamicIndexList>($source_offsets, $static_source_offsets)
    (`along` $source_map^)? `,`
    $target `` custom<DynamicIndexList>($target_offsets, $static_target_offsets)
    (`along` $target_map^)?
    `sizes` custom<DynamicIndexList>($sizes, $static_sizes)
    `engine` `` $engine (`post_op` $post_op^)? attr-dict `:` type($source) `,` type($target)
  }];
  let hasVerifier = 1;
}

def Npu_ReadyOp : Npu_Op<"ready", [Pure]> {
  let summary = "a token that needs no wait";
  let description = [{
    What a loop that carries tokens starts from.

    Example:

    ```mlir
    %t = npu.ready
    ```
  }];
  let results = (outs Npu_TokenType:$token);
  let assemblyFormat = "attr-dict";
}

def Npu_WaitOp : Npu_Op<"wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits for transfers";
  let description = [{
    Example:

    ```mlir
    npu.wait %t0, %t1
    ```
  }];
  let arguments = (ins Variadic<Npu_TokenType>:$tokens);
  let assemblyFormat = "$tokens attr-dict";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Npu_SyncOp : Npu_Op<"sync", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits for the other cores of the group";
  let description = [{
    In `mix` kernels, where the matrix core and the vector cores exchange data through device memory.

    Example:

    ```mlir
    npu.sync
    ```
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Npu_ComputeOp : Npu_Op<"compute", [RecursiveMemoryEffects, SingleBlock,
    SingleBlockImplicitTerminator<"YieldOp">, NoRegionArguments]> {
  let summary = "code that runs on an engine";
  let description = [{
    A region of plain `scf`, `vector`, `memref`, `arith` and `math`.

    Example:

    ```mlir
    npu.compute engine(vector) {
      %v = vector.load %t[%i] : memref<64xf32, #npu.space<ub>>, vector<8xf32>
      vector.store %v, %u[%i] : memref<64xf32, #npu.space<ub>>, vector<8xf32>
    }
    ```
  }];
  let arguments = (ins Npu_EngineAttr:$engine);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`engine` `` $engine attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Npu_YieldOp : Npu_Op<"yield", [Pure, Terminator, HasParent<"ComputeOp">]> {
  let summary = "end of a compute region";
  let description = [{
    Left out in assembly.

    Example:

    ```mlir
    npu.yield
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Npu_MmaOp : Npu_Op<"mma", [DestinationStyleOpInterface]> {
  let summary = "a step of the matrix unit";
  let description = [{
    `acc += lhs * rhs` on tiles `[M, K]`, `[K, N]`, `[M, N]`; with `init`, `acc = lhs * rhs`. A dimension
    before these is a batch: one product for each of its points. Sums are f32, and each one takes its
    products in ascending order of K, fused, so that a product in several steps is that of a single one.

    Example:

    ```mlir
    npu.mma %a, %b into %c init : memref<16x64xf16, #npu.space<l0a>>, memref<64x16xf16, #npu.space<l0b>>, memref<16x16xf32, #npu.space<l0c>>
    ```
  }];
  let arguments = (ins
    Arg<SinterBuffer, "", [MemRead]>:$lhs,
    Arg<SinterBuffer, "", [MemRead]>:$rhs,
    Arg<SinterBuffer, "", [MemRead, MemWrite]>:$acc,
    UnitAttr:$init);
  let assemblyFormat = [{
    $lhs `,` $rhs `into` $acc (`init` $init^)? attr-dict `:` type($lhs) `,` type($rhs) `,` type($acc)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getAccMutable(); }
  }];
}

#endif // SINTER_NPU_KERNEL_TD
