#ifndef DSP_OPS_TD
#define DSP_OPS_TD

include "Common.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Dsp_Dialect : Dialect {
  let name = "dsp";
  let summary = "Operators of signal processing";
  let description = [{
    Two operators that ONNX does not have. Their semantics are in Rust: `src/squareplus.rs` and
    `src/power.rs`.
  }];
  let cppNamespace = "::dsp";
  let hasConstantMaterializer = 1;
}

/// An operator whose verifier, folder and canonicaliser ask its Rust file.
class Dsp_Operator<string mnemonic, list<Trait> traits = []>
    : Op<Dsp_Dialect, mnemonic, !listconcat([Pure], traits)> {
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let results = (outs SinterTensor:$result);
}

def Dsp_SquareplusOp : Dsp_Operator<"squareplus", [SameOperandsAndResultType]> {
  let summary = "a smooth rectifier";
  let description = [{
    Elementwise: `y = (x + sqrt(x * x + roundness)) / 2` (Barron, 2021).

    ```mlir
    %y = dsp.squareplus %x roundness 4.000000e+00 : tensor<8x128xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$input, F64Attr:$roundness);
  let assemblyFormat = "$input `roundness` $roundness attr-dict `:` type($result)";
}

def Dsp_PowerOp : Dsp_Operator<"power"> {
  let summary = "mean of squares along an axis";
  let description = [{
    The dimension `axis` of the result has one element: the mean of the squares.

    ```mlir
    %p = dsp.power %x axis 1 : tensor<8x128xf32> -> tensor<8x1xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$input, I64Attr:$axis);
  let assemblyFormat = "$input `axis` $axis attr-dict `:` type($input) `->` type($result)";
}

#endif // DSP_OPS_TD
