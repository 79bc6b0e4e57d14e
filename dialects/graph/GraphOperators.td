//===- GraphOperators.td - operators that are not elementwise ----*- tablegen -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
//
//===--------------------------------------------------------------------------===//

#ifndef SINTER_GRAPH_OPERATORS_TD
#define SINTER_GRAPH_OPERATORS_TD

include "GraphElementwise.td"

//===--------------------------------------------------------------------------===//
// Reductions and scans
//===--------------------------------------------------------------------------===//

def Graph_ReduceOp : Graph_Operator<"reduce"> {
  let summary = "reduction over axes";
  let description = [{
    Combines the elements along `axes`; with `keep_dims` these stay as extent one.

    Example:

    ```mlir
    %y = graph.reduce mean %x axes [2, 3] keep_dims true : tensor<1x64x7x7xf32> -> tensor<1x64x1x1xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$input,
    OneOf<["sum", "mean", "max", "min", "prod", "l1", "l2", "sum_square", "log_sum_exp"]>:$kind,
    DenseI64ArrayAttr:$axes,
    DefaultValuedAttr<BoolAttr, "false">:$keep_dims);
  let results = (outs SinterTensor:$result);
  let assemblyFormat = [{
    custom<Word>($kind) $input `axes` $axes (`keep_dims` $keep_dims^)? attr-dict
    `:` type($input) `->` type($result)
  }];
}

def Graph_ArgReduceOp : Graph_Operator<"arg_reduce"> {
  let summary = "index of the largest or smallest element along an axis";
  let description = [{
    The first such index, or the last with `select_last`; the result is `i64`.

    Example:

    ```mlir
    %y = graph.arg_reduce max %x axis 1 : tensor<8x1000xf32> -> tensor<8xi64>
    ```
  }];
  let arguments = (ins SinterTensor:$input,
    OneOf<["max", "min"]>:$kind, I64Attr:$axis,
    DefaultValuedAttr<BoolAttr, "false">:$keep_dims,
    DefaultValuedAttr<BoolAttr, "false">:$select_last);
  let results = (outs RankedTensorOf<[I64]>:$result);
  let assemblyFormat = [{
    custom<Word>($kind) $input `axis` $axis (`keep_dims` $keep_dims^)? (`select_last` $select_last^)?
    attr-dict `:` type($input) `->` type($result)
  }];
}

def Graph_ScanOp : Graph_Operator<"scan", [Pure, SameOperandsAndResultType]> {
  let summary = "running combination along an axis";
  let description = [{
    Element `i` combines elements `0..=i`, or `0..i` with `exclusive`; from the end with `reverse`.

    Example:

    ```mlir
    %y = graph.scan sum %x axis 0 exclusive true : tensor<16xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$input,
    OneOf<["sum", "prod"]>:$kind, I64Attr:$axis,
    DefaultValuedAttr<BoolAttr, "false">:$exclusive,
    DefaultValuedAttr<BoolAttr, "false">:$reverse);
  let results = (outs SinterTensor:$result);
  let assemblyFormat = [{
    custom<Word>($kind) $input `axis` $axis (`exclusive` $exclusive^)? (`reverse` $reverse^)?
    attr-dict `:` type($result)
  }];
}

//===--------------------------------------------------------------------------===//
// Contractions and windows
//===--------------------------------------------------------------------------===//

def Graph_MatmulOp : Graph_Operator<"matmul"> {
  let summary = "matrix product";
  let description = [{
    `numpy.matmul`: leading dimensions are batch dimensions and broadcast; an operand of rank one is a
    row on the left, a column on the right. Products of 8-bit integers, of either sign, are added as `i32`.

    Example:

    ```mlir
    %y = graph.matmul %a, %b : (tensor<8x128x64xf32>, tensor<64x32xf32>) -> tensor<8x128x32xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$lhs, SinterTensor:$rhs);
  let results = (outs SinterTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

def Graph_ConvOp : Graph_Operator<"conv"> {
  let summary = "convolution";
  let description = [{
    Input `[N, C, spatial..]`, filter `[M, C / groups, window..]`, optional bias `[M]`. `pads` lists the
    low ends of all spatial dimensions, then the high ends. Products of 8-bit integers, of either sign, are
    added as `i32`, to which the bias belongs then.

    Example:

    ```mlir
    %y = graph.conv %x, %w, %b strides [2, 2] pads [3, 3, 3, 3] dilations [1, 1] groups 1
      : (tensor<1x3x224x224xf32>, tensor<64x3x7x7xf32>, tensor<64xf32>) -> tensor<1x64x112x112xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$input, SinterTensor:$filter, Optional<SinterTensor>:$bias,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations,
    DefaultValuedAttr<I64Attr, "1">:$groups);
  let results = (outs SinterTensor:$result);
  let assemblyFormat = [{
    $input `,` $filter (`,` $bias^)? `strides` $strides `pads` $pads `dilations` $dilations
    `groups` $groups attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_ConvTransposeOp : Graph_Operator<"conv_transpose"> {
  let summary = "transposed convolution";
  let description = [{
    Input `[N, C, spatial..]`, filter `[C, M / groups, window..]`, optional bias `[M]`. `pads` lists
    what is cut off at the low ends, then at the high ends; `output_pads` adds to the high ends.

    Example:

    ```mlir
    %y = graph.conv_transpose %x, %w strides [2, 2] pads [0, 0, 0, 0] output_pads [0, 0]
      dilations [1, 1] groups 1
      : (tensor<1x24x80x80xf32>, tensor<24x24x2x2xf32>) -> tensor<1x24x160x160xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$input, SinterTensor:$filter, Optional<SinterTensor>:$bias,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$output_pads,
    DenseI64ArrayAttr:$dilations, DefaultValuedAttr<I64Attr, "1">:$groups);
  let results = (outs SinterTensor:$result);
  let assemblyFormat = [{
    $input `,` $filter (`,` $bias^)? `strides` $strides `pads` $pads `output_pads` $output_pads
    `dilations` $dilations `groups` $groups attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_WinogradConvOp : Graph_Operator<"winograd_conv"> {
  let summary = "convolution by short products along one dimension";
  let description = [{
    Convolution of an input `[N, C, H, W]` with stride 1, in which `m` rows of the result come from `t`
    rows of the input by `k` products each, fewer than there are pairs of a row and a tap (Toom and
    Cook; Winograd). `forward` `[k, t]` combines rows of the input, `filter` `[k, M, C, window]` convolves the
    combinations along the columns, and `backward` `[m, k]` combines the products; an optional bias is `[M]`.
    `pads` lists the low ends of rows and columns, then the high ends. The rows of the result must be
    tiles of `m`.

    Example:

    ```mlir
    %y = graph.winograd_conv %x, %w, %forward, %backward pads [1, 1, 1, 1]
      : (tensor<1x64x56x56xf32>, tensor<4x64x64x3xf32>, tensor<4x4xf32>, tensor<2x4xf32>) -> tensor<1x64x56x56xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$input, SinterTensor:$filter, SinterTensor:$forward,
    SinterTensor:$backward, Optional<SinterTensor>:$bias, DenseI64ArrayAttr:$pads);
  let results = (outs SinterTensor:$result);
  let assemblyFormat = [{
    $input `,` $filter `,` $forward `,` $backward (`,` $bias^)? `pads` $pads attr-dict
    `:` functional-type(operands, results)
  }];
}

def Graph_PoolOp : Graph_Operator<"pool"> {
  let summary = "maximum or average over windows";
  let description = [{
    Input `[N, C, spatial..]`. `pads` as in `graph.conv`; padding counts as minus infinity for `max`,
    and for `avg` it is left out of the divisor unless `count_include_pad`. With `ceil_mode` the output
    extent is rounded up.

    Example:

    ```mlir
    %y = graph.pool max %x kernel [3, 3] strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1]
      : tensor<1x64x112x112xf32> -> tensor<1x64x56x56xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$input, OneOf<["max", "avg"]>:$kind,
    DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads,
    DenseI64ArrayAttr:$dilations,
    DefaultValuedAttr<BoolAttr, "false">:$ceil_mode,
    DefaultValuedAttr<BoolAttr, "false">:$count_include_pad);
  let results = (outs SinterTensor:$result);
  let assemblyFormat = [{
    custom<Word>($kind) $input `kernel` $kernel `strides` $strides `pads` $pads
    `dilations` $dilations (`ceil_mode` $ceil_mode^)? (`count_include_pad` $count_include_pad^)? attr-dict
    `:` type($input) `->` type($result)
  }];
}

//===--------------------------------------------------------------------------===//
// Index maps
//===--------------------------------------------------------------------------===//

class Graph_IndexMap<string mnemonic> : Graph_Operator<mnemonic> {
  let results = (outs SinterTensor:$result);
}

def Graph_TransposeOp : Graph_IndexMap<"transpose"> {
  let summary = "permutes dimensions";
  let description = [{
    Dimension `i` of the result is dimension `perm[i]` of the operand.

    Example:

    ```mlir
    %y = graph.transpose %x perm [0, 2, 1] : tensor<8x16x32xf32> -> tensor<8x32x16xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$input, DenseI64ArrayAttr:$perm);
  let assemblyFormat = "$input `perm` $perm attr-dict `:` type($input) `->` type($result)";
}

def Graph_ReshapeOp : Graph_IndexMap<"reshape"> {
  let summary = "the same elements, row-major, in another shape";
  let description = [{
    Example:

    ```mlir
    %y = graph.reshape %x shape [1, 512] : tensor<1x512x1x1xf32> -> tensor<1x512xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$input, DenseI64ArrayAttr:$shape);
  let assemblyFormat = "$input `shape` $shape attr-dict `:` type($input) `->` type($result)";
}

def Graph_ExpandOp : Graph_IndexMap<"expand"> {
  let summary = "broadcasts to a shape";
  let description = [{
    Extents of one, and missing leading dimensions, are repeated.

    Example:

    ```mlir
    %y = graph.expand %x shape [4, 16] : tensor<1x16xf32> -> tensor<4x16xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$input, DenseI64ArrayAttr:$shape);
  let assemblyFormat = "$input `shape` $shape attr-dict `:` type($input) `->` type($result)";
}

def Graph_SliceOp : Graph_IndexMap<"slice"> {
  let summary = "a strided part";
  let description = [{
    Per dimension: `sizes` elements from `starts`, `steps` apart (negative steps run backwards).

    Example:

    ```mlir
    %y = graph.slice %x starts [0, 16] sizes [4, 8] steps [1, 2] : tensor<4x32xf32> -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$input, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$sizes,
    DenseI64ArrayAttr:$steps);
  let assemblyFormat = [{
    $input `starts` $starts `sizes` $sizes `steps` $steps attr-dict `:` type($input) `->` type($result)
  }];
}

def Graph_ConcatOp : Graph_IndexMap<"concat"> {
  let summary = "joins tensors along an axis";
  let description = [{
    Example:

    ```mlir
    %y = graph.concat %a, %b axis 1 : (tensor<1x8xf32>, tensor<1x4xf32>) -> tensor<1x12xf32>
    ```
  }];
  let arguments = (ins Variadic<SinterTensor>:$inputs, I64Attr:$axis);
  let assemblyFormat = "$inputs `axis` $axis attr-dict `:` functional-type(operands, results)";
}

def Graph_PadOp : Graph_IndexMap<"pad"> {
  let summary = "adds elements at the ends of dimensions";
  let description = [{
    `low[i]` elements before and `high[i]` after dimension `i`: `value`, or for `reflect`,
    `edge` and `wrap` elements of the operand. Negative amounts cut off.

    Example:

    ```mlir
    %y = graph.pad constant %x low [0, 1] high [0, 1] value 0.000000e+00 : tensor<4x8xf32> -> tensor<4x10xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$input, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
    F64Attr:$value, OneOf<["constant", "reflect", "edge", "wrap"]>:$mode);
  let assemblyFormat = [{
    custom<Word>($mode) $input `low` $low `high` $high `value` $value attr-dict
    `:` type($input) `->` type($result)
  }];
}

def Graph_GatherOp : Graph_IndexMap<"gather"> {
  let summary = "picks slices along an axis";
  let description = [{
    The axis of `data` is replaced by the dimensions of `indices`; negative indices count from the end.

    Example:

    ```mlir
    %y = graph.gather %data, %indices axis 0 : (tensor<1000x64xf32>, tensor<8xi64>) -> tensor<8x64xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$data, RankedTensorOf<[I64, I32]>:$indices, I64Attr:$axis);
  let assemblyFormat =
    "$data `,` $indices `axis` $axis attr-dict `:` functional-type(operands, results)";
}

def Graph_GatherElementsOp : Graph_IndexMap<"gather_elements"> {
  let summary = "picks elements along an axis";
  let description = [{
    The result has the shape of `indices`; only the coordinate along the axis is replaced.

    Example:

    ```mlir
    %y = graph.gather_elements %data, %indices axis 1 : (tensor<4x8xf32>, tensor<4x2xi64>) -> tensor<4x2xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$data, RankedTensorOf<[I64, I32]>:$indices, I64Attr:$axis);
  let assemblyFormat =
    "$data `,` $indices `axis` $axis attr-dict `:` functional-type(operands, results)";
}

def Graph_ResizeOp : Graph_IndexMap<"resize"> {
  let summary = "resamples";
  let description = [{
    ONNX `Resize` (19) to a known shape. `coordinates` maps an output coordinate to the input by
    `scales` (none: output extent over input extent); `rounding` says how that is rounded in `nearest`
    mode; `cubic_coefficient` and `exclude_outside` belong to `cubic`.

    Example:

    ```mlir
    %y = graph.resize nearest %x shape [1, 24, 160, 160] scales [1.0, 1.0, 2.0, 2.0]
      coordinates asymmetric rounding floor : tensor<1x24x80x80xf32> -> tensor<1x24x160x160xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$input,
    OneOf<["nearest", "linear", "cubic"]>:$mode,
    OneOf<["half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
           "tf_half_pixel_for_nn"]>:$coordinates,
    OneOf<["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"]>:$rounding,
    DenseI64ArrayAttr:$shape,
    DefaultValuedAttr<DenseF64ArrayAttr, "{}">:$scales,
    DefaultValuedAttr<F64Attr, "-0.75">:$cubic_coefficient,
    DefaultValuedAttr<BoolAttr, "false">:$exclude_outside);
  let assemblyFormat = [{
    custom<Word>($mode) $input `shape` $shape (`scales` $scales^)?
    `coordinates` custom<Word>($coordinates) `rounding` custom<Word>($rounding)
    (`cubic_coefficient` $cubic_coefficient^)? (`exclude_outside` $exclude_outside^)? attr-dict
    `:` type($input) `->` type($result)
  }];
}

//===--------------------------------------------------------------------------===//
// Normalisations: each has a decomposition
//===--------------------------------------------------------------------------===//

def Graph_SoftmaxOp : Graph_Operator<"softmax", [Pure, SameOperandsAndResultType]> {
  let summary = "normalised exponential along an axis";
  let description = [{
    `exp(x - max) / sum(exp(x - max))` along the axis.

    Example:

    ```mlir
    %y = graph.softmax %x axis 1 : tensor<8x1000xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$input, I64Attr:$axis);
  let results = (outs SinterTensor:$result);
  let assemblyFormat = "$input `axis` $axis attr-dict `:` type($result)";
}

def Graph_LogSoftmaxOp : Graph_Operator<"log_softmax", [Pure, SameOperandsAndResultType]> {
  let summary = "logarithm of softmax";
  let description = [{
    `(x - max) - log(sum(exp(x - max)))` along the axis.

    Example:

    ```mlir
    %y = graph.log_softmax %x axis 1 : tensor<8x1000xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$input, I64Attr:$axis);
  let results = (outs SinterTensor:$result);
  let assemblyFormat = "$input `axis` $axis attr-dict `:` type($result)";
}

def Graph_LayerNormOp : Graph_Operator<"layer_norm"> {
  let summary = "normalisation over the trailing dimensions";
  let description = [{
    `(x - mean) / sqrt(variance + epsilon) * scale + bias` over the dimensions from `axis` on.

    Example:

    ```mlir
    %y = graph.layer_norm %x, %scale, %bias axis 2 epsilon 1.000000e-05
      : (tensor<1x197x768xf32>, tensor<768xf32>, tensor<768xf32>) -> tensor<1x197x768xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$input, SinterTensor:$scale, Optional<SinterTensor>:$bias,
    I64Attr:$axis, F64Attr:$epsilon);
  let results = (outs SinterTensor:$result);
  let assemblyFormat = [{
    $input `,` $scale (`,` $bias^)? `axis` $axis `epsilon` $epsilon attr-dict
    `:` functional-type(operands, results)
  }];
}

def Graph_BatchNormOp : Graph_Operator<"batch_norm"> {
  let summary = "inference batch normalisation";
  let description = [{
    `(x - mean) / sqrt(variance + epsilon) * scale + bias` with one entry per channel (dimension 1).

    Example:

    ```mlir
    %y = graph.batch_norm %x, %scale, %bias, %mean, %variance epsilon 1.000000e-05
      : (tensor<1x64x56x56xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<1x64x56x56xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$input, SinterTensor:$scale, SinterTensor:$bias,
    SinterTensor:$mean, SinterTensor:$variance, F64Attr:$epsilon);
  let results = (outs SinterTensor:$result);
  let assemblyFormat = [{
    $input `,` $scale `,` $bias `,` $mean `,` $variance `epsilon` $epsilon attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // SINTER_GRAPH_OPERATORS_TD
