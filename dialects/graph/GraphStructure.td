//===- GraphStructure.td - constants, groups, regions, e-classes -*- tablegen -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
//
//===--------------------------------------------------------------------------===//

#ifndef SINTER_GRAPH_STRUCTURE_TD
#define SINTER_GRAPH_STRUCTURE_TD

include "GraphAttrs.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// Scalars whose type need not be written.
def Graph_ScalarBool : 0DTensorOf<[I1]>,
  BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getI1Type())">;
def Graph_ScalarIndex : 0DTensorOf<[I64]>,
  BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getI64Type())">;

def Graph_ConstantOp : Graph_Op<"constant", [Pure, ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "a tensor known at compile time";
  let description = [{
    Weights are `dense_resource`s over the mapped model file; small constants are written out.

    Example:

    ```mlir
    %w = graph.constant dense_resource<conv1.weight> : tensor<64x3x7x7xf32>
    %a = graph.constant dense<0.5> : tensor<1xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs SinterTensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def Graph_DimOp : Graph_Op<"dim", [Pure]> {
  let summary = "extent of a dimension";
  let description = [{
    Example:

    ```mlir
    %n = graph.dim %x axis 0 : tensor<?x3x224x224xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$input, I64Attr:$axis);
  let results = (outs Graph_ScalarIndex:$result);
  let assemblyFormat = "$input `axis` $axis attr-dict `:` type($input)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===--------------------------------------------------------------------------===//
// Opaque and effectful operators
//===--------------------------------------------------------------------------===//

def Graph_SortOp : Graph_Op<"sort", [Pure]> {
  let summary = "sorts along an axis";
  let description = [{
    Stable. Results are the sorted values and their former places.

    Example:

    ```mlir
    %v, %i = graph.sort %x axis 1 descending true : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4x8xi64>
    ```
  }];
  let arguments = (ins SinterTensor:$input, I64Attr:$axis,
    DefaultValuedAttr<BoolAttr, "false">:$descending);
  let results = (outs SinterTensor:$values, RankedTensorOf<[I64]>:$indices);
  let assemblyFormat = [{
    $input `axis` $axis (`descending` $descending^)? attr-dict
    `:` type($input) `->` type($values) `,` type($indices)
  }];
  let hasVerifier = 1;
}

def Graph_TopkOp : Graph_Op<"topk", [Pure]> {
  let summary = "the largest or smallest elements along an axis";
  let description = [{
    Results are `k` values, in order, and their places; of equal values the first comes first.

    Example:

    ```mlir
    %v, %i = graph.topk %x k 5 axis 1 : tensor<4x1000xf32> -> tensor<4x5xf32>, tensor<4x5xi64>
    ```
  }];
  let arguments = (ins SinterTensor:$input, I64Attr:$k, I64Attr:$axis,
    DefaultValuedAttr<BoolAttr, "true">:$largest);
  let results = (outs SinterTensor:$values, RankedTensorOf<[I64]>:$indices);
  let assemblyFormat = [{
    $input `k` $k `axis` $axis (`largest` $largest^)? attr-dict
    `:` type($input) `->` type($values) `,` type($indices)
  }];
  let hasVerifier = 1;
}

def Graph_NonzeroOp : Graph_Op<"nonzero", [Pure]> {
  let summary = "places of the elements that are not zero";
  let description = [{
    One column per such element, row-major; how many there are is known only when it runs.

    Example:

    ```mlir
    %i = graph.nonzero %x : tensor<4x8xf32> -> tensor<2x?xi64>
    ```
  }];
  let arguments = (ins SinterTensor:$input);
  let results = (outs RankedTensorOf<[I64]>:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Graph_RandomOp : Graph_Op<"random", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "random numbers";
  let description = [{
    Reads and advances the generator's state: never merged, moved across another, or dropped. `low` and
    `high` are the range of `uniform`, the mean and the deviation of `normal`.

    Example:

    ```mlir
    %r = graph.random uniform 0.000000e+00, 1.000000e+00 seed 7 : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins OneOf<["uniform", "normal"]>:$kind, F64Attr:$low, F64Attr:$high, I64Attr:$seed);
  let results = (outs RankedTensorOf<[F32, F64, F16, BF16]>:$result);
  let assemblyFormat =
    "custom<Word>($kind) $low `,` $high `seed` $seed attr-dict `:` type($result)";
}

//===--------------------------------------------------------------------------===//
// Regions
//===--------------------------------------------------------------------------===//

def Graph_YieldOp : Graph_Op<"yield", [Pure, Terminator,
    ParentOneOf<["GroupOp", "LoopOp", "IfOp", "CompositeOp"]>]> {
  let summary = "results of a region";
  let description = [{
    Example:

    ```mlir
    graph.yield %y : tensor<1x64x56x56xf32>
    ```
  }];
  let arguments = (ins Variadic<SinterTensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Graph_LoopOp : Graph_Op<"loop", [RecursiveMemoryEffects, SingleBlock]> {
  let summary = "counted loop";
  let description = [{
    Runs the region `count` times. Its arguments are the iteration number and the carried values; what
    it yields is carried on, and the last are the results.

    Example:

    ```mlir
    %r = graph.loop %n carry(%x : tensor<4xf32>) {
    ^bb0(%i: tensor<i64>, %acc: tensor<4xf32>):
      %y = graph.relu %acc : tensor<4xf32>
      graph.yield %y : tensor<4xf32>
    } -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Graph_ScalarIndex:$count, Variadic<SinterTensor>:$initial);
  let results = (outs Variadic<SinterTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $count `carry` `(` ($initial^ `:` type($initial))? `)` attr-dict-with-keyword $body
    (`->` type($results)^)?
  }];
  let hasVerifier = 1;
}

def Graph_IfOp : Graph_Op<"if", [RecursiveMemoryEffects, SingleBlock]> {
  let summary = "one of two regions";
  let description = [{
    Example:

    ```mlir
    %r = graph.if %c {
      graph.yield %a : tensor<4xf32>
    } else {
      graph.yield %b : tensor<4xf32>
    } -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Graph_ScalarBool:$condition);
  let results = (outs Variadic<SinterTensor>:$results);
  let regions = (region SizedRegion<1>:$then_body, SizedRegion<1>:$else_body);
  let assemblyFormat = [{
    $condition attr-dict-with-keyword $then_body `else` $else_body (`->` type($results)^)?
  }];
  let hasVerifier = 1;
}

def Graph_CompositeOp : Graph_Op<"composite", [Pure, IsolatedFromAbove, SingleBlock]> {
  let summary = "a user's own unit";
  let description = [{
    Operators that stay together under a name, with what they mean as the region. With `kernel` that
    function computes the unit, and the region is its reference.

    Example:

    ```mlir
    %y = graph.composite "my.gate" (%x : tensor<4xf32>) {
    ^bb0(%a: tensor<4xf32>):
      %0 = graph.sigmoid %a : tensor<4xf32>
      %1 = graph.mul %a, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      graph.yield %1 : tensor<4xf32>
    } -> tensor<4xf32>
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<SinterTensor>:$inputs,
    OptionalAttr<FlatSymbolRefAttr>:$kernel);
  let results = (outs Variadic<SinterTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name `(` ($inputs^ `:` type($inputs))? `)` (`kernel` $kernel^)? attr-dict-with-keyword $body
    (`->` type($results)^)?
  }];
  let hasVerifier = 1;
}

def Graph_GroupOp : Graph_Op<"group", [Pure, IsolatedFromAbove, SingleBlock]> {
  let summary = "operators that become one kernel";
  let description = [{
    The region's arguments are the operands, what it yields are the results; both lie in device memory,
    everything between does not. `layouts` has an entry per result (`unit` is row-major), `placements`
    likewise (`unit` is a buffer of its own). `schedule` is the one that `price_ns` assumes, of
    the kernel's form number `form` (0, or absent: as it is placed).

    Example:

    ```mlir
    %y = graph.group @conv_relu (%x, %w : tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) {
    ^bb0(%a: tensor<1x64x56x56xf32>, %b: tensor<64x64x3x3xf32>):
      %0 = graph.conv %a, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1
        : (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x56x56xf32>
      %1 = graph.relu %0 : tensor<1x64x56x56xf32>
      graph.yield %1 : tensor<1x64x56x56xf32>
    } -> tensor<1x64x56x56xf32>
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$kernel,
    Variadic<SinterTensor>:$inputs,
    OptionalAttr<ArrayAttr>:$layouts,
    OptionalAttr<ArrayAttr>:$placements,
    OptionalAttr<AnyAttr>:$schedule,
    OptionalAttr<I64Attr>:$form,
    OptionalAttr<F64Attr>:$price_ns,
    OptionalAttr<Graph_DecisionAttr>:$decision);
  let results = (outs Variadic<SinterTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $kernel `(` ($inputs^ `:` type($inputs))? `)` attr-dict-with-keyword $body (`->` type($results)^)?
  }];
  let hasVerifier = 1;
}

//===--------------------------------------------------------------------------===//
// E-graphs as IR
//===--------------------------------------------------------------------------===//

def Graph_EclassOp : Graph_Op<"eclass", [Pure, SameOperandsAndResultType]> {
  let summary = "values that are equal";
  let description = [{
    All operands compute the same value; whoever uses the result may use any of them. `chosen` is the
    member that extraction picked.

    Example:

    ```mlir
    %v = graph.eclass %a, %b : tensor<4xf32>
    %w = graph.eclass %a, %b {chosen = 1 : i64} : tensor<4xf32>
    ```
  }];
  let arguments = (ins Variadic<SinterTensor>:$members, OptionalAttr<I64Attr>:$chosen);
  let results = (outs SinterTensor:$result);
  let assemblyFormat = "$members attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // SINTER_GRAPH_STRUCTURE_TD
