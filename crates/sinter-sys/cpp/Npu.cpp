//===- Npu.cpp - the NPU kernel dialect -----------------------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
//
//===--------------------------------------------------------------------------===//

#include "Dialect.h"

#include "npu.dialect.h.inc"
#include "npu.enum.h.inc"
#define GET_ATTRDEF_CLASSES
#include "npu.attr.h.inc"
#define GET_TYPEDEF_CLASSES
#include "npu.type.h.inc"
#define GET_OP_CLASSES
#include "npu.op.h.inc"

#include "npu.dialect.cpp.inc"
#include "npu.enum.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "npu.attr.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "npu.type.cpp.inc"
#define GET_OP_CLASSES
#include "npu.op.cpp.inc"

#include "npu.hooks.cpp.inc"

using namespace mlir;

namespace sinter::npu {

void NpuDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "npu.op.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "npu.attr.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "npu.type.cpp.inc"
      >();
  addInterfaces<Inliner>();
}

ParseResult ProgramOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseFunction<ProgramOp>(parser, result);
}

void ProgramOp::print(OpAsmPrinter &printer) { printFunction(*this, printer); }

// OP @name(args) core(kind) attributes {..} { .. }
ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  (void)impl::parseOptionalVisibilityKeyword(parser, result.attributes);
  StringAttr name;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name), result.attributes))
    return failure();

  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> resultTypes;
  SmallVector<DictionaryAttr> resultAttrs;
  bool isVariadic = false;
  if (function_interface_impl::parseFunctionSignatureWithArguments(
          parser, /*allowVariadic=*/false, arguments, isVariadic, resultTypes, resultAttrs))
    return failure();
  SmallVector<Type> argumentTypes;
  for (const OpAsmParser::Argument &argument : arguments)
    argumentTypes.push_back(argument.type);
  result.addAttribute(getFunctionTypeAttrName(result.name),
                      TypeAttr::get(builder.getFunctionType(argumentTypes, resultTypes)));

  StringRef core;
  SMLoc loc;
  if (parser.parseKeyword("core") || parser.parseLParen() || parser.getCurrentLocation(&loc) ||
      parser.parseKeyword(&core) || parser.parseRParen())
    return failure();
  std::optional<CoreKind> kind = symbolizeCoreKind(core);
  if (!kind)
    return parser.emitError(loc) << "'" << core << "' is none of vector, cube, mix";
  result.addAttribute(getCoreAttrName(result.name), CoreKindAttr::get(builder.getContext(), *kind));

  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  call_interface_impl::addArgAndResultAttrs(builder, result, arguments, resultAttrs,
                                            getArgAttrsAttrName(result.name),
                                            getResAttrsAttrName(result.name));
  return parser.parseRegion(*result.addRegion(), arguments);
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  if (StringAttr visibility = getSymVisibilityAttr())
    printer << visibility.getValue() << ' ';
  printer.printSymbolName(getSymName());
  function_interface_impl::printFunctionSignature(printer, *this, getArgumentTypes(),
                                                  /*isVariadic=*/false, getResultTypes());
  printer << " core(" << stringifyCoreKind(getCore()) << ')';
  function_interface_impl::printFunctionAttributes(
      printer, *this,
      {getSymVisibilityAttrName(), getFunctionTypeAttrName(), getArgAttrsAttrName(),
       getResAttrsAttrName(), getCoreAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

} // namespace sinter::npu

extern "C" void sinterInsertNpuDialect(MlirDialectRegistry registry) {
  unwrap(registry)->insert<sinter::npu::NpuDialect>();
}
