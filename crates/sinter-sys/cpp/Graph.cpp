//===- Graph.cpp - the graph dialect ------------------------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
//
//===--------------------------------------------------------------------------===//

#include "Dialect.h"

#include "graph.dialect.h.inc"
#include "graph.enum.h.inc"
#define GET_ATTRDEF_CLASSES
#include "graph.attr.h.inc"
using sinter::parseWord;
using sinter::printWord;
#define GET_OP_CLASSES
#include "graph.op.h.inc"

#include "graph.dialect.cpp.inc"
#include "graph.enum.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "graph.attr.cpp.inc"
#define GET_OP_CLASSES
#include "graph.op.cpp.inc"

#include "graph.hooks.cpp.inc"

using namespace mlir;

namespace sinter::graph {

void GraphDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "graph.op.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "graph.attr.cpp.inc"
      >();
  addInterfaces<Inliner>();
}

Operation *GraphDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                             Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}

LogicalResult GraphDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argument,
                                                     NamedAttribute attribute) {
  return hooks::verifyArgument(op, argument, attribute);
}

LogicalResult GraphDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned result,
                                                        NamedAttribute attribute) {
  return hooks::verifyResult(op, result, attribute);
}

LogicalResult GraphDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  return hooks::verifyDiscardable(op, attribute);
}

} // namespace sinter::graph

extern "C" void sinterInsertGraphDialect(MlirDialectRegistry registry) {
  unwrap(registry)->insert<sinter::graph::GraphDialect>();
}
