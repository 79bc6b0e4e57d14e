//===- Hooks.cpp - operations' hooks, forwarded to Rust ----------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
//
//===--------------------------------------------------------------------------===//

#include "Hooks.h"

#include "mlir/CAPI/AffineMap.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Rewrite.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

static const SinterHooks *table = nullptr;

void sinterSetHooks(const SinterHooks *hooks) { table = hooks; }

namespace sinter::hooks {

LogicalResult verify(Operation *op) { return success(!table || table->verify(wrap(op))); }

LogicalResult verifySymbol(Operation *op, FlatSymbolRefAttr symbol,
                           SymbolTableCollection &tables) {
  Operation *callee = tables.lookupNearestSymbolFrom(op, symbol);
  if (!callee)
    return op->emitOpError() << "refers to '" << symbol.getValue() << "', which does not exist";
  return success(!table || table->verifySymbol(wrap(op), wrap(callee)));
}

LogicalResult verifyArgument(Operation *op, unsigned argument, NamedAttribute attribute) {
  return success(!table || table->verifyArgument(wrap(op), argument,
                                                 wrap(attribute.getName().getValue()),
                                                 wrap(attribute.getValue())));
}

LogicalResult verifyResult(Operation *op, unsigned result, NamedAttribute attribute) {
  return success(!table || table->verifyResult(wrap(op), result,
                                               wrap(attribute.getName().getValue()),
                                               wrap(attribute.getValue())));
}

LogicalResult verifyDiscardable(Operation *op, NamedAttribute attribute) {
  return success(!table || table->verifyDiscardable(wrap(op), wrap(attribute.getName().getValue()),
                                                    wrap(attribute.getValue())));
}

LogicalResult verifyAttribute(function_ref<InFlightDiagnostic()> emitError, StringRef name,
                              ArrayRef<SinterParameter> parameters) {
  if (!table)
    return success();
  auto report = [](void *user, MlirStringRef message) {
    (*static_cast<function_ref<InFlightDiagnostic()> *>(user))() << unwrap(message);
  };
  return success(table->verifyAttribute(wrap(name), parameters.size(), parameters.data(), report,
                                        &emitError));
}

LogicalResult fold(Operation *op, ArrayRef<Attribute> operands,
                   SmallVectorImpl<OpFoldResult> &results) {
  if (!table)
    return failure();
  SmallVector<MlirAttribute> constants;
  for (Attribute operand : operands)
    constants.push_back(wrap(operand));
  auto push = [](void *user, MlirValue value, MlirAttribute attribute) {
    auto &out = *static_cast<SmallVectorImpl<OpFoldResult> *>(user);
    if (value.ptr)
      out.push_back(unwrap(value));
    else
      out.push_back(unwrap(attribute));
  };
  return success(table->fold(wrap(op), constants.size(), constants.data(), push, &results));
}

OpFoldResult foldOne(Operation *op, ArrayRef<Attribute> operands) {
  SmallVector<OpFoldResult, 1> results;
  if (failed(fold(op, operands, results)))
    return {};
  // A fold in place gives no result of its own: the operation's result stands for itself.
  return results.empty() ? OpFoldResult(op->getResult(0)) : results.front();
}

namespace {
struct HookPattern : RewritePattern {
  HookPattern(StringRef opName, MLIRContext *context)
      : RewritePattern(opName, /*benefit=*/1, context) {
    setDebugName(opName);
  }
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    return success(table && table->canonicalize(wrap(op), wrap(static_cast<RewriterBase *>(&rewriter))));
  }
};
} // namespace

void addCanonicalization(RewritePatternSet &patterns, StringRef opName, MLIRContext *context) {
  patterns.add(std::make_unique<HookPattern>(opName, context));
}

void bufferEffects(Operation *op, OperandRange written,
                   SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  unsigned begin = written.empty() ? 0 : written.getBeginOperandIndex();
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<BaseMemRefType>(operand.get().getType()))
      continue;
    unsigned index = operand.getOperandNumber();
    bool isWritten = index >= begin && index < begin + written.size();
    if (isWritten)
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  }
}

SinterParameter parameter(int64_t value) {
  return {SinterParameter::Integer, value, {nullptr}, {nullptr}};
}

SinterParameter parameter(std::optional<int64_t> value) {
  return value ? parameter(*value) : SinterParameter{SinterParameter::Absent, 0, {nullptr}, {nullptr}};
}

SinterParameter parameter(Attribute value) {
  auto kind = value ? SinterParameter::AttributeKind : SinterParameter::Absent;
  return {kind, 0, wrap(value), {nullptr}};
}

SinterParameter parameter(AffineMap value) {
  return {SinterParameter::Map, 0, {nullptr}, wrap(value)};
}

} // namespace sinter::hooks
