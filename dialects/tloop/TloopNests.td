//===- TloopNests.td - loop nests and their bodies ---------------*- tablegen -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
//
//===--------------------------------------------------------------------------===//

#ifndef SINTER_TLOOP_NESTS_TD
#define SINTER_TLOOP_NESTS_TD

include "TloopDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tloop_Kinds : ListOf<["parallel", "reduction"]>;
def Tloop_Combiners : ListOf<["add", "mul", "max", "min"]>;

/// Operands are read, destinations written; on tensors nothing has an effect.
class Tloop_Nest<string mnemonic, list<Trait> traits = []>
    : Tloop_Op<mnemonic, [AttrSizedOperandSegments, IsolatedFromAbove,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>] # traits> {
  let hasVerifier = 1;
}

def Tloop_NestOp : Tloop_Nest<"nest"> {
  let summary = "a loop nest: domain, accesses, scalar body, combiners, finish";
  let description = [{
    For every point of the parallel iterators of the domain:

    ```text
    acc[r] = init[r]                                     (with combiners)
    for every point of the reduction iterators, row-major:
        u = body(inputs at maps(point))
        acc[r] = combine[r](acc[r], u[r])
    out = finish(acc.., finish inputs at finish_maps(point))
    write out[k] at writes[k](point)
    ```

    Without reduction iterators there are no combiners and `finish` takes the body's results; an absent
    `finish` is the identity. Maps are over all iterators, in domain order; finish and write maps do
    not use reduction iterators. `pads` has an entry per input (or none at all): the value read where
    the index is outside, `unit` where it never is. A write is injective, and every element of its
    operand that it can reach is written once.

    With `outs`, one destination per write, results are the destinations with the written elements
    replaced (a write map may have an offset); on memrefs there are no results.

    Example: a row sum, divided by a value per row.

    ```mlir
    %y = tloop.nest domain [4, 16] kinds ["parallel", "reduction"]
      ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>]
      combine ["add"] init [0.000000e+00]
      body {
      ^bb0(%a: f32):
        tloop.yield %a : f32
      } finish ins(%s : tensor<4xf32>) maps [affine_map<(d0, d1) -> (d0)>] {
      ^bb0(%acc: f32, %b: f32):
        %0 = arith.divf %acc, %b : f32
        tloop.yield %0 : f32
      } writes [affine_map<(d0, d1) -> (d0)>] -> tensor<4xf32>
    ```
  }];
  let arguments = (ins
    DenseI64ArrayAttr:$domain,
    Tloop_Kinds:$kinds,
    Variadic<SinterTensorOrBuffer>:$inputs,
    EmptyMaps:$maps,
    DefaultValuedAttr<ArrayAttr, "{}">:$pads,
    DefaultValuedAttr<Tloop_Combiners, "{}">:$combine,
    DefaultValuedAttr<ArrayAttr, "{}">:$init,
    Variadic<SinterTensorOrBuffer>:$finish_inputs,
    EmptyMaps:$finish_maps,
    Variadic<SinterTensorOrBuffer>:$outs,
    AffineMapArrayAttr:$writes);
  let results = (outs Variadic<SinterTensor>:$results);
  let regions = (region SizedRegion<1>:$body, MaxSizedRegion<1>:$finish);
  let assemblyFormat = [{
    `domain` $domain `kinds` $kinds
    (`ins` `(` $inputs^ `:` type($inputs) `)` `maps` $maps)? (`pads` $pads^)?
    (`combine` $combine^ `init` $init)?
    `body` $body
    (`finish` (`ins` `(` $finish_inputs^ `:` type($finish_inputs) `)` `maps` $finish_maps)? $finish^)?
    (`outs` `(` $outs^ `:` type($outs) `)`)?
    `writes` $writes attr-dict (`->` type($results)^)?
  }];
}

def Tloop_ContractOp : Tloop_Nest<"contract"> {
  let summary = "a nest that multiplies and accumulates";
  let description = [{
    As `tloop.nest` with two inputs, the body `a * b` and the combiner `add`; every step is a fused
    multiply-add. It becomes register tiles, or steps of a matrix unit.

    Example:

    ```mlir
    %y = tloop.contract domain [128, 32, 64] kinds ["parallel", "parallel", "reduction"]
      ins(%a, %b : tensor<128x64xf32>, tensor<64x32xf32>)
      maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>]
      writes [affine_map<(d0, d1, d2) -> (d0, d1)>] -> tensor<128x32xf32>
    ```
  }];
  let arguments = (ins
    DenseI64ArrayAttr:$domain,
    Tloop_Kinds:$kinds,
    Variadic<SinterTensorOrBuffer>:$inputs,
    EmptyMaps:$maps,
    DefaultValuedAttr<ArrayAttr, "{}">:$pads,
    DefaultValuedAttr<F64Attr, "0.0">:$init,
    Variadic<SinterTensorOrBuffer>:$finish_inputs,
    EmptyMaps:$finish_maps,
    Variadic<SinterTensorOrBuffer>:$outs,
    AffineMapArrayAttr:$writes);
  let results = (outs Variadic<SinterTensor>:$results);
  let regions = (region MaxSizedRegion<1>:$finish);
  let assemblyFormat = [{
    `domain` $domain `kinds` $kinds
    `ins` `(` $inputs `:` type($inputs) `)` `maps` $maps (`pads` $pads^)? (`init` $init^)?
    (`finish` (`ins` `(` $finish_inputs^ `:` type($finish_inputs) `)` `maps` $finish_maps)? $finish^)?
    (`outs` `(` $outs^ `:` type($outs) `)`)?
    `writes` $writes attr-dict (`->` type($results)^)?
  }];
}

def Tloop_CarryOp : Tloop_Nest<"carry"> {
  let summary = "a reduction whose accumulators depend on each other";
  let description = [{
    Several accumulators start at `init`; `update` takes the reads and the accumulators and yields the
    new ones (online softmax rescales its sum when the maximum grows; Welford moves mean and second
    moment together). `merge` takes two sets of accumulators and yields the one of both parts, for lanes
    and for split reductions. `finish` takes the accumulators and yields what is written.

    Example: maximum and sum of exponentials of each row in one pass.

    ```mlir
    %m, %s = tloop.carry domain [4, 16] kinds ["parallel", "reduction"]
      ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>]
      init [0xFFF0000000000000 : f64, 0.000000e+00]
      update {
      ^bb0(%a: f32, %max: f32, %sum: f32):
        %new = arith.maximumf %a, %max : f32
        %0 = arith.subf %max, %new : f32
        %1 = math.exp %0 : f32
        %2 = arith.mulf %sum, %1 : f32
        %3 = arith.subf %a, %new : f32
        %4 = math.exp %3 : f32
        %5 = arith.addf %2, %4 : f32
        tloop.yield %new, %5 : f32, f32
      } merge {
      ^bb0(%max0: f32, %sum0: f32, %max1: f32, %sum1: f32):
        %new = arith.maximumf %max0, %max1 : f32
        %0 = arith.subf %max0, %new : f32
        %1 = math.exp %0 : f32
        %2 = arith.mulf %sum0, %1 : f32
        %3 = arith.subf %max1, %new : f32
        %4 = math.exp %3 : f32
        %5 = arith.mulf %sum1, %4 : f32
        %6 = arith.addf %2, %5 : f32
        tloop.yield %new, %6 : f32, f32
      } writes [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>] -> tensor<4xf32>, tensor<4xf32>
    ```
  }];
  let arguments = (ins
    DenseI64ArrayAttr:$domain,
    Tloop_Kinds:$kinds,
    Variadic<SinterTensorOrBuffer>:$inputs,
    EmptyMaps:$maps,
    DefaultValuedAttr<ArrayAttr, "{}">:$pads,
    ArrayAttr:$init,
    Variadic<SinterTensorOrBuffer>:$finish_inputs,
    EmptyMaps:$finish_maps,
    Variadic<SinterTensorOrBuffer>:$outs,
    AffineMapArrayAttr:$writes);
  let results = (outs Variadic<SinterTensor>:$results);
  let regions = (region SizedRegion<1>:$update, SizedRegion<1>:$merge, MaxSizedRegion<1>:$finish);
  let assemblyFormat = [{
    `domain` $domain `kinds` $kinds
    `ins` `(` $inputs `:` type($inputs) `)` `maps` $maps (`pads` $pads^)? `init` $init
    `update` $update `merge` $merge
    (`finish` (`ins` `(` $finish_inputs^ `:` type($finish_inputs) `)` `maps` $finish_maps)? $finish^)?
    (`outs` `(` $outs^ `:` type($outs) `)`)?
    `writes` $writes attr-dict (`->` type($results)^)?
  }];
}

def Tloop_YieldOp : Tloop_Op<"yield", [Pure, Terminator,
    ParentOneOf<["NestOp", "ContractOp", "CarryOp", "TileOp"]>]> {
  let summary = "results of a region";
  let description = [{
    Example:

    ```mlir
    tloop.yield %0 : f32
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Tloop_IndexOp : Tloop_Op<"index", [Pure]> {
  let summary = "current value of an iterator";
  let description = [{
    In the body of a nest, by the iterator's number in the domain.

    Example:

    ```mlir
    %i = tloop.index 1 : i64
    ```
  }];
  let arguments = (ins I64Attr:$iter);
  let results = (outs AnyTypeOf<[I64, Index]>:$result);
  let assemblyFormat = "$iter attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tloop_ReadOp : Tloop_Op<"read", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a read at a computed place";
  let description = [{
    For gathers inside `tloop.tile`, where the index is data. Indices
    outside are clamped.

    Example:

    ```mlir
    %v = tloop.read %table[%i, %j] : tensor<1000x64xf32> -> f32
    ```
  }];
  let arguments = (ins SinterTensorOrBuffer:$source, Variadic<Index>:$indices);
  let results = (outs SinterElement:$result);
  let assemblyFormat = "$source `[` $indices `]` attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

#endif // SINTER_TLOOP_NESTS_TD
