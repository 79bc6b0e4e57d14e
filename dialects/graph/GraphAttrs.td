//===- GraphAttrs.td - attributes of the graph dialect -----------*- tablegen -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
//
//===--------------------------------------------------------------------------===//

#ifndef SINTER_GRAPH_ATTRS_TD
#define SINTER_GRAPH_ATTRS_TD

include "GraphDialect.td"

class Graph_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Graph_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Graph_LayoutAttr : Graph_Attr<"Layout", "layout"> {
  let summary = "how a tensor of logical shape lies in memory";
  let description = [{
    A map from logical indices to physical indices: dimensions permuted, then some of them split into
    blocks. Every result is a whole dimension `dI`, a quotient `dI floordiv B` or a remainder
    `dI mod B`; a dimension is either whole, or has exactly one quotient and one remainder by the same
    block. The extent of a quotient is rounded up, so that the physical tensor may be larger; what
    lies in the padding is unspecified for activations and zero for packed constants.

    Channels last, and channels in blocks of eight:

    ```mlir
    #graph.layout<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
    #graph.layout<(d0, d1, d2, d3) -> (d0, d1 floordiv 8, d2, d3, d1 mod 8)>
    ```
  }];
  let parameters = (ins "::mlir::AffineMap":$map);
  let assemblyFormat = "`<` $map `>`";
  let genVerifyDecl = 1;
}

def Graph_DimAttr : Graph_Attr<"Dim", "dim"> {
  let summary = "a named extent with its range";
  let description = [{
    Names an unknown extent and bounds it, both ends included. Equal names mean equal extents.

    ```mlir
    func.func @main(%x: tensor<?x3x224x224xf32> {graph.dims = [#graph.dim<"batch", 1, 64>, unit, unit, unit]})
    ```
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$min, "int64_t":$max);
  let assemblyFormat = "`<` $name `,` $min `,` $max `>`";
  let genVerifyDecl = 1;
}

def Graph_PlacementAttr : Graph_Attr<"Placement", "placement"> {
  let summary = "this value is a part of that buffer";
  let description = [{
    The value is not stored by itself but at an offset within a buffer that it shares with others: the
    operands of a `graph.concat`, say. `shape` is the logical shape of the whole buffer.

    ```mlir
    #graph.placement<"concat_7" at [0, 64, 0, 0] of [1, 128, 28, 28]>
    ```
  }];
  let parameters = (ins
    "::mlir::StringAttr":$buffer,
    "::mlir::DenseI64ArrayAttr":$offsets,
    "::mlir::DenseI64ArrayAttr":$shape);
  let assemblyFormat = "`<` $buffer `at` $offsets `of` $shape `>`";
  let genVerifyDecl = 1;
}

def Graph_DecisionAttr : Graph_Attr<"Decision", "decision"> {
  let summary = "why operators were grouped, or were not";
  let description = [{
    A stable code, the ONNX nodes it speaks of, one line of explanation, and the bytes that the
    decision saves. `flip` says what would have to change for the decision to be the other one.

    ```mlir
    #graph.decision<"fused", nodes = ["Conv_0", "Relu_1"], message = "epilogue in registers", saved_bytes = 802816>
    #graph.decision<"no-route", nodes = ["MatMul_4"], message = "l0c does not reach ub", saved_bytes = 0, flip = "a route from l0c to ub">
    ```
  }];
  let parameters = (ins
    "::mlir::StringAttr":$code,
    "::mlir::ArrayAttr":$nodes,
    "::mlir::StringAttr":$message,
    "int64_t":$saved_bytes,
    OptionalParameter<"::mlir::StringAttr">:$flip);
  let assemblyFormat = [{
    `<` $code `,` `nodes` `=` $nodes `,` `message` `=` $message `,` `saved_bytes` `=` $saved_bytes
    (`,` `flip` `=` $flip^)? `>`
  }];
  let genVerifyDecl = 1;
}

def Graph_NumericsClass : I32EnumAttr<"NumericsClass", "how far a result may differ", [
    I32EnumAttrCase<"Exact", 0, "exact">,
    I32EnumAttrCase<"Rounding", 1, "rounding">,
    I32EnumAttrCase<"Reassociating", 2, "reassociating">,
    I32EnumAttrCase<"Approximate", 3, "approximate">]> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::sinter::graph";
}

def Graph_NumericsAttr : EnumAttr<Graph_Dialect, Graph_NumericsClass, "numerics"> {
  let summary = "how far a result may differ from the unfused one";
  let description = [{
    `exact`: bit for bit. `rounding`: within twice the operator's own forward error bound.
    `reassociating`: reductions in another order, their sums also distributed over products. `approximate`:
    anything further.

    ```mlir
    #graph.numerics<reassociating>
    ```
  }];
  let assemblyFormat = "`<` $value `>`";
}

#endif // SINTER_GRAPH_ATTRS_TD
