//===- GraphOps.td - operations of the graph dialect -------------*- tablegen -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
//
//===--------------------------------------------------------------------------===//

#ifndef SINTER_GRAPH_OPS_TD
#define SINTER_GRAPH_OPS_TD

include "GraphAttrs.td"
include "GraphElementwise.td"
include "GraphOperators.td"
include "GraphStructure.td"

#endif // SINTER_GRAPH_OPS_TD
