//===- GraphElementwise.td - elementwise operators ---------------*- tablegen -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
//
//===--------------------------------------------------------------------------===//

#ifndef SINTER_GRAPH_ELEMENTWISE_TD
#define SINTER_GRAPH_ELEMENTWISE_TD

include "GraphDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// An operator of the catalogue in `sinter-ops`: its semantics (types, folding, evaluation, loops) are
/// written there and reached through the generated hooks.
class Graph_Operator<string mnemonic, list<Trait> traits = [Pure]> : Graph_Op<mnemonic, traits> {
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

//===--------------------------------------------------------------------------===//
// One operand
//===--------------------------------------------------------------------------===//

class Graph_Unary<string mnemonic, string what, string formula, string element = "f32">
    : Graph_Operator<mnemonic, [Pure, SameOperandsAndResultType]> {
  let summary = what;
  let description = "Elementwise: `y = " # formula # "`.\n\n"
    # "Example:\n\n```mlir\n%y = graph." # mnemonic # " %x : tensor<1x64x56x56x" # element # ">\n```\n";
  let arguments = (ins SinterTensor:$input);
  let results = (outs SinterTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def Graph_ReluOp : Graph_Unary<"relu", "rectified linear unit", "max(x, 0)">;
def Graph_HardSwishOp : Graph_Unary<"hard_swish", "hard swish", "x * clamp(x / 6 + 1 / 2, 0, 1)">;
def Graph_SiluOp : Graph_Unary<"silu", "sigmoid linear unit (swish)", "x / (1 + exp(-x))">;
def Graph_SigmoidOp : Graph_Unary<"sigmoid", "logistic function", "1 / (1 + exp(-x))">;
def Graph_SoftplusOp : Graph_Unary<"softplus", "softplus", "log(1 + exp(x))">;
def Graph_ExpOp : Graph_Unary<"exp", "exponential", "exp(x)">;
def Graph_LogOp : Graph_Unary<"log", "natural logarithm", "log(x)">;
def Graph_SqrtOp : Graph_Unary<"sqrt", "square root", "sqrt(x)">;
def Graph_RsqrtOp : Graph_Unary<"rsqrt", "reciprocal square root", "1 / sqrt(x)">;
def Graph_ReciprocalOp : Graph_Unary<"reciprocal", "reciprocal", "1 / x">;
def Graph_NegOp : Graph_Unary<"neg", "negation", "-x">;
def Graph_AbsOp : Graph_Unary<"abs", "absolute value", "|x|">;
def Graph_TanhOp : Graph_Unary<"tanh", "hyperbolic tangent", "tanh(x)">;
def Graph_ErfOp : Graph_Unary<"erf", "error function", "erf(x)">;
def Graph_SinOp : Graph_Unary<"sin", "sine", "sin(x)">;
def Graph_CosOp : Graph_Unary<"cos", "cosine", "cos(x)">;
def Graph_FloorOp : Graph_Unary<"floor", "rounding down", "floor(x)">;
def Graph_CeilOp : Graph_Unary<"ceil", "rounding up", "ceil(x)">;
def Graph_RoundOp : Graph_Unary<"round", "rounding to the nearest integer, ties to even", "round(x)">;
def Graph_SignOp : Graph_Unary<"sign", "sign", "(x > 0) - (x < 0)">;
def Graph_NotOp : Graph_Unary<"not", "logical negation", "!x", "i1">;

def Graph_LeakyReluOp : Graph_Unary<"leaky_relu", "leaky rectified linear unit",
    "x < 0 ? alpha * x : x"> {
  let description = [{
    Elementwise: `y = x < 0 ? alpha * x : x`.

    Example:

    ```mlir
    %y = graph.leaky_relu %x alpha 1.000000e-02 : tensor<1x64x56x56xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$input, F64Attr:$alpha);
  let assemblyFormat = "$input `alpha` $alpha attr-dict `:` type($result)";
}

def Graph_EluOp : Graph_Unary<"elu", "exponential linear unit", "x < 0 ? alpha * (exp(x) - 1) : x"> {
  let description = [{
    Elementwise: `y = x < 0 ? alpha * (exp(x) - 1) : x`.

    Example:

    ```mlir
    %y = graph.elu %x alpha 1.000000e+00 : tensor<1x64x56x56xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$input, F64Attr:$alpha);
  let assemblyFormat = "$input `alpha` $alpha attr-dict `:` type($result)";
}

def Graph_HardSigmoidOp : Graph_Unary<"hard_sigmoid", "hard sigmoid",
    "clamp(alpha * x + beta, 0, 1)"> {
  let description = [{
    Elementwise: `y = clamp(alpha * x + beta, 0, 1)`.

    Example:

    ```mlir
    %y = graph.hard_sigmoid %x alpha 2.000000e-01 beta 5.000000e-01 : tensor<1x64x1x1xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$input, F64Attr:$alpha, F64Attr:$beta);
  let assemblyFormat = "$input `alpha` $alpha `beta` $beta attr-dict `:` type($result)";
}

def Graph_GeluOp : Graph_Unary<"gelu", "Gaussian error linear unit", "x * Phi(x)"> {
  let description = [{
    Elementwise: `y = x * Phi(x)` with the normal distribution function `Phi`, through `erf`, or
    `approximate` through `tanh`.

    Example:

    ```mlir
    %y = graph.gelu %x : tensor<1x197x768xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$input, DefaultValuedAttr<BoolAttr, "false">:$approximate);
  let assemblyFormat = "$input (`approximate` $approximate^)? attr-dict `:` type($result)";
}

def Graph_ClampOp : Graph_Unary<"clamp", "limits to a range", "min(max(x, lo), hi)"> {
  let description = [{
    Elementwise: `y = min(max(x, min), max)`; the limits are rounded to the element type. Without one of
    them the range is open on that side.

    Example:

    ```mlir
    %y = graph.clamp %x min 0.000000e+00 max 6.000000e+00 : tensor<1x64x56x56xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$input, OptionalAttr<F64Attr>:$min, OptionalAttr<F64Attr>:$max);
  let assemblyFormat = "$input (`min` $min^)? (`max` $max^)? attr-dict `:` type($result)";
}

def Graph_CastOp : Graph_Operator<"cast"> {
  let summary = "conversion to another element type";
  let description = [{
    Float to integer truncates; anything to `i1` is `!= 0`.

    Example:

    ```mlir
    %y = graph.cast %x to f32 : tensor<1x16xi64> -> tensor<1x16xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$input, TypeAttr:$to);
  let results = (outs SinterTensor:$result);
  let assemblyFormat = "$input `to` $to attr-dict `:` type($input) `->` type($result)";
}

//===--------------------------------------------------------------------------===//
// Two and three operands
//===--------------------------------------------------------------------------===//

class Graph_Binary<string mnemonic, string what, string formula, list<Trait> traits = [],
                   string element = "f32">
    : Graph_Operator<mnemonic, [Pure] # traits> {
  let summary = what;
  let description = "Elementwise with numpy broadcasting: `y = " # formula # "`.\n\n"
    # "Example:\n\n```mlir\n%y = graph." # mnemonic
    # " %a, %b : (tensor<1x64x56x56x" # element # ">, tensor<64x1x1x" # element # ">) -> "
    # "tensor<1x64x56x56x" # element # ">\n```\n";
  let arguments = (ins SinterTensor:$lhs, SinterTensor:$rhs);
  let results = (outs SinterTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

def Graph_AddOp : Graph_Binary<"add", "sum", "a + b", [Commutative]>;
def Graph_SubOp : Graph_Binary<"sub", "difference", "a - b">;
def Graph_MulOp : Graph_Binary<"mul", "product", "a * b", [Commutative]>;
def Graph_DivOp : Graph_Binary<"div", "quotient; of integers, truncated", "a / b">;
def Graph_MaxOp : Graph_Binary<"max", "maximum", "a > b ? a : b">;
def Graph_MinOp : Graph_Binary<"min", "minimum", "a < b ? a : b">;
def Graph_PowOp : Graph_Binary<"pow", "power", "a ** b">;
def Graph_RemOp : Graph_Binary<"rem", "remainder with the sign of the dividend", "a - b * trunc(a / b)">;
def Graph_AndOp : Graph_Binary<"and", "logical and", "a && b", [Commutative], "i1">;
def Graph_OrOp : Graph_Binary<"or", "logical or", "a || b", [Commutative], "i1">;
def Graph_XorOp : Graph_Binary<"xor", "logical exclusive or", "a != b", [Commutative], "i1">;

def Graph_PreluOp : Graph_Binary<"prelu", "leaky rectified linear unit with a slope tensor",
    "a < 0 ? a * b : a">;

def Graph_CompareOp : Graph_Operator<"compare"> {
  let summary = "comparison";
  let description = [{
    Elementwise with numpy broadcasting; the result is `i1`. Ordered: false where an operand is NaN,
    but for `ne`, which is true there.

    Example:

    ```mlir
    %y = graph.compare lt %a, %b : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xi1>
    ```
  }];
  let arguments = (ins SinterTensor:$lhs, SinterTensor:$rhs,
    OneOf<["eq", "ne", "lt", "le", "gt", "ge"]>:$kind);
  let results = (outs SinterTensor:$result);
  let assemblyFormat =
    "custom<Word>($kind) $lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

def Graph_SelectOp : Graph_Operator<"select"> {
  let summary = "choice between two values";
  let description = [{
    Elementwise with numpy broadcasting: `y = c ? a : b`.

    Example:

    ```mlir
    %y = graph.select %c, %a, %b : (tensor<4xi1>, tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins RankedTensorOf<[I1]>:$condition, SinterTensor:$on_true, SinterTensor:$on_false);
  let results = (outs SinterTensor:$result);
  let assemblyFormat =
    "$condition `,` $on_true `,` $on_false attr-dict `:` functional-type(operands, results)";
}

#endif // SINTER_GRAPH_ELEMENTWISE_TD
