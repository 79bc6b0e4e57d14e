//===- GraphDialect.td - the graph dialect -----------------------*- tablegen -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
//
//===--------------------------------------------------------------------------===//

#ifndef SINTER_GRAPH_DIALECT_TD
#define SINTER_GRAPH_DIALECT_TD

include "Common.td"

def Graph_Dialect : Dialect {
  let name = "graph";
  let summary = "Tensor programs by meaning";
  let description = [{
    Operators of a trained model, named by what they compute, on ranked tensors of logical shape.
    The dialect says nothing about loops or memory until `graph.group` puts operators into kernels
    and `#graph.layout` and `#graph.placement` say how their results are stored.

    Unknown extents are `?` in tensor types; the argument attribute `graph.dims` names and bounds
    them with `#graph.dim`.

    Locations carry the origin: an operation's location is the name of the ONNX node it stems from,
    fused for several.
  }];
  let cppNamespace = "::sinter::graph";
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let dependentDialects = [];
}

class Graph_Op<string mnemonic, list<Trait> traits = []>
    : Op<Graph_Dialect, mnemonic, traits>;

#endif // SINTER_GRAPH_DIALECT_TD
