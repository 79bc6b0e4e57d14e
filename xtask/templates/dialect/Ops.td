#ifndef @camel@_OPS_TD
#define @camel@_OPS_TD

include "Common.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def @camel@_Dialect : Dialect {
  let name = "@snake@";
  let summary = "Write what it is, in one line";
  let description = [{
    Write what its operations have in common.
  }];
  let cppNamespace = "::sinter_@snake@";
  let hasConstantMaterializer = 1;
}

/// An operator whose verifier, folder and canonicaliser ask its Rust file.
class @camel@_Operator<string mnemonic, list<Trait> traits = []>
    : Op<@camel@_Dialect, mnemonic, !listconcat([Pure], traits)> {
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let results = (outs SinterTensor:$result);
}

def @camel@_FirstOp : @camel@_Operator<"first", [SameOperandsAndResultType]> {
  let summary = "write what it is, in one line";
  let description = [{
    Write what it computes.

    ```mlir
    %y = @snake@.first %x : tensor<8x128xf32>
    ```
  }];
  let arguments = (ins SinterTensor:$input);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

#endif // @camel@_OPS_TD
