//===- TloopTiles.td - tiles, layout changes, split reductions ---*- tablegen -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
//
//===--------------------------------------------------------------------------===//

#ifndef SINTER_TLOOP_TILES_TD
#define SINTER_TLOOP_TILES_TD

include "TloopAttrs.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"

def Tloop_TileOp : Tloop_Op<"tile", [RecursiveMemoryEffects, SingleBlock]> {
  let summary = "an explicit tile loop";
  let description = [{
    Visits `extents` in tiles, row-major; the region's arguments are the first index of the tile along
    each axis and the carried values, and what it yields is carried on. With `grid` the tiles are the
    blocks of the kernel: independent of each other, they write disjoint parts.

    Example:

    ```mlir
    %r = tloop.tile [56, 64] by [4, 16] grid carry(%init : tensor<56x64xf32>) {
    ^bb0(%i: index, %j: index, %d: tensor<56x64xf32>):
      %t = tloop.extract %x[%i, %j] sizes [4, 16] : tensor<56x64xf32> -> tensor<4x16xf32>
      %u = tloop.insert %t into %d[%i, %j] : tensor<4x16xf32> into tensor<56x64xf32>
      tloop.yield %u : tensor<56x64xf32>
    } -> tensor<56x64xf32>
    ```
  }];
  let arguments = (ins DenseI64ArrayAttr:$extents, DenseI64ArrayAttr:$tiles, UnitAttr:$grid,
    Variadic<SinterTensorOrBuffer>:$initial);
  let results = (outs Variadic<SinterTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $extents `by` $tiles (`grid` $grid^)? (`carry` `(` $initial^ `:` type($initial) `)`)?
    attr-dict-with-keyword $body (`->` type($results)^)?
  }];
  let hasVerifier = 1;
}

def Tloop_ExtractOp : Tloop_Op<"extract", [Pure, AttrSizedOperandSegments]> {
  let summary = "a tile of a tensor";
  let description = [{
    Offsets and sizes may be constants or values, one per dimension.

    Example:

    ```mlir
    %t = tloop.extract %x[%i, 0] sizes [4, %n] : tensor<56x64xf32> -> tensor<4x?xf32>
    ```
  }];
  let arguments = (ins SinterTensorOrBuffer:$source,
    Variadic<Index>:$offsets, Variadic<Index>:$sizes,
    DenseI64ArrayAttr:$static_offsets, DenseI64ArrayAttr:$static_sizes);
  let results = (outs SinterTensorOrBuffer:$result);
  let assemblyFormat = [{
    $source `` custom<DynamicIndexList>($offsets, $static_offsets)
    `sizes` custom<DynamicIndexList>($sizes, $static_sizes) attr-dict
    `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tloop_InsertOp : Tloop_Op<"insert", [Pure, DestinationStyleOpInterface,
    TypesMatchWith<"the result is the destination", "dest", "result", "$_self">]> {
  let summary = "puts a tile into a tensor";
  let description = [{
    Example:

    ```mlir
    %u = tloop.insert %t into %d[%i, 0] : tensor<4x64xf32> into tensor<56x64xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$source, SinterTensor:$dest, Variadic<Index>:$offsets,
    DenseI64ArrayAttr:$static_offsets);
  let results = (outs SinterTensor:$result);
  let assemblyFormat = [{
    $source `into` $dest `` custom<DynamicIndexList>($offsets, $static_offsets) attr-dict
    `:` type($source) `into` type($dest)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getDestMutable(); }
  }];
}

def Tloop_PackOp : Tloop_Op<"pack", [Pure]> {
  let summary = "changes a tensor from row-major to a layout";
  let description = [{
    The result's shape is the layout's physical shape; padding is zero. Of constants it is folded at
    compile time.

    Example:

    ```mlir
    %p = tloop.pack %w layout <(d0, d1) -> (d0 floordiv 16, d1, d0 mod 16)>
      : tensor<30x64xf32> -> tensor<2x64x16xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$source, Tloop_LayoutAttr:$layout);
  let results = (outs SinterTensor:$result);
  let assemblyFormat = "$source `layout` $layout attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tloop_UnpackOp : Tloop_Op<"unpack", [Pure]> {
  let summary = "changes a tensor from a layout to row-major";
  let description = [{
    Example:

    ```mlir
    %w = tloop.unpack %p layout <(d0, d1) -> (d0 floordiv 16, d1, d0 mod 16)>
      : tensor<2x64x16xf32> -> tensor<30x64xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$source, Tloop_LayoutAttr:$layout);
  let results = (outs SinterTensor:$result);
  let assemblyFormat = "$source `layout` $layout attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tloop_PartialOp : Tloop_Op<"partial", [Pure, SameOperandsAndResultType]> {
  let summary = "results of the parts of a split reduction";
  let description = [{
    Dimension 0 numbers the parts. The value lies in the workspace between two launches.

    Example:

    ```mlir
    %p = tloop.partial %x parts 4 : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$source, I64Attr:$parts);
  let results = (outs SinterTensor:$result);
  let assemblyFormat = "$source `parts` $parts attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tloop_CombineOp : Tloop_Op<"combine", [Pure]> {
  let summary = "combines the parts of a split reduction";
  let description = [{
    Over dimension 0, in index order.

    Example:

    ```mlir
    %y = tloop.combine add %p : tensor<4x8xf32> -> tensor<8xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$source, OneOf<["add", "mul", "max", "min"]>:$kind);
  let results = (outs SinterTensor:$result);
  let assemblyFormat =
    "custom<Word>($kind) $source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

#endif // SINTER_TLOOP_TILES_TD
