//===- Tloop.cpp - the tensor loop dialect -------------------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
//
//===--------------------------------------------------------------------------===//

#include "Dialect.h"

#include "tloop.dialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "tloop.attr.h.inc"
using sinter::parseWord;
using sinter::printWord;
#define GET_OP_CLASSES
#include "tloop.op.h.inc"

#include "tloop.dialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "tloop.attr.cpp.inc"
#define GET_OP_CLASSES
#include "tloop.op.cpp.inc"

#include "tloop.hooks.cpp.inc"

using namespace mlir;

namespace sinter::tloop {

void TloopDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "tloop.op.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tloop.attr.cpp.inc"
      >();
  addInterfaces<Inliner>();
}

// Folded layout changes become constants of the graph dialect.
Operation *TloopDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                             Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type || !getContext()->getLoadedDialect("graph"))
    return nullptr;
  OperationState state(loc, "graph.constant");
  state.addTypes(type);
  state.addAttribute("value", value);
  return builder.create(state);
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseFunction<KernelOp>(parser, result);
}

void KernelOp::print(OpAsmPrinter &printer) { printFunction(*this, printer); }

} // namespace sinter::tloop

extern "C" void sinterInsertTloopDialect(MlirDialectRegistry registry) {
  unwrap(registry)->insert<sinter::tloop::TloopDialect>();
}
