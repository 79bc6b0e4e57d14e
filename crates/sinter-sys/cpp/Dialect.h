//===- Dialect.h - what every dialect's C++ file needs -----------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
//
//===--------------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_H
#define SINTER_DIALECT_H

#include "Hooks.h"

#include "mlir-c/AffineMap.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/CAPI/AffineMap.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

namespace sinter {

/// `custom<Word>($kind)`: a string attribute written as a bare word.
inline mlir::ParseResult parseWord(mlir::OpAsmParser &parser, mlir::StringAttr &word) {
  llvm::StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return mlir::failure();
  word = parser.getBuilder().getStringAttr(keyword);
  return mlir::success();
}

inline void printWord(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::StringAttr word) {
  printer.printKeywordOrString(word.getValue());
}

/// Functions that hold our operations may be inlined anywhere.
struct Inliner : mlir::DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(mlir::Region *, mlir::Region *, bool, mlir::IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(mlir::Operation *, mlir::Region *, bool, mlir::IRMapping &) const final {
    return true;
  }
};

/// `graph.constant`, for dialects whose operators fold to constants; null where `graph` is not loaded.
inline mlir::Operation *materializeConstant(mlir::OpBuilder &builder, mlir::Attribute value,
                                            mlir::Type type, mlir::Location loc) {
  auto elements = llvm::dyn_cast<mlir::ElementsAttr>(value);
  if (!elements || elements.getType() != type ||
      !builder.getContext()->getLoadedDialect("graph"))
    return nullptr;
  mlir::OperationState state(loc, "graph.constant");
  state.addTypes(type);
  state.addAttribute("value", elements);
  return builder.create(state);
}

/// `OP @name(args) -> results attributes {..} { .. }`, as `func.func`.
template <typename OpTy>
mlir::ParseResult parseFunction(mlir::OpAsmParser &parser, mlir::OperationState &result) {
  auto build = [](mlir::Builder &builder, llvm::ArrayRef<mlir::Type> inputs,
                  llvm::ArrayRef<mlir::Type> results,
                  mlir::function_interface_impl::VariadicFlag,
                  std::string &) { return builder.getFunctionType(inputs, results); };
  return mlir::function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false, OpTy::getFunctionTypeAttrName(result.name), build,
      OpTy::getArgAttrsAttrName(result.name), OpTy::getResAttrsAttrName(result.name));
}

template <typename OpTy>
void printFunction(OpTy op, mlir::OpAsmPrinter &printer) {
  mlir::function_interface_impl::printFunctionOp(
      printer, op, /*isVariadic=*/false, op.getFunctionTypeAttrName(), op.getArgAttrsAttrName(),
      op.getResAttrsAttrName());
}

} // namespace sinter

#endif // SINTER_DIALECT_H
