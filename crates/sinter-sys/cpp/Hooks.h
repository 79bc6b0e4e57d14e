//===- Hooks.h - operations' hooks, forwarded to Rust ------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
//
// `SinterHooks` mirrors `RawHooks` of src/hooks.rs. The functions below it are what the generated
// stubs of each operation call.
//
//===--------------------------------------------------------------------------===//

#ifndef SINTER_HOOKS_H
#define SINTER_HOOKS_H

#include "mlir-c/AffineMap.h"
#include "mlir-c/IR.h"
#include "mlir-c/Rewrite.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

extern "C" {

/// One parameter of an attribute under verification.
struct SinterParameter {
  enum Kind : int32_t { Absent, Integer, AttributeKind, Map } kind;
  int64_t integer;
  MlirAttribute attribute;
  MlirAffineMap map;
};

struct SinterHooks {
  bool (*verify)(MlirOperation op);
  bool (*verifySymbol)(MlirOperation op, MlirOperation callee);
  bool (*verifyArgument)(MlirOperation op, intptr_t argument, MlirStringRef name,
                         MlirAttribute value);
  bool (*verifyResult)(MlirOperation op, intptr_t result, MlirStringRef name, MlirAttribute value);
  bool (*verifyDiscardable)(MlirOperation op, MlirStringRef name, MlirAttribute value);
  bool (*verifyAttribute)(MlirStringRef name, intptr_t count, const SinterParameter *parameters,
                          void (*report)(void *, MlirStringRef), void *user);
  bool (*fold)(MlirOperation op, intptr_t count, const MlirAttribute *operands,
               void (*push)(void *, MlirValue, MlirAttribute), void *user);
  bool (*canonicalize)(MlirOperation op, MlirRewriterBase rewriter);
};

/// Installs the table; it is read from then on and must not change.
void sinterSetHooks(const SinterHooks *hooks);
}

namespace sinter::hooks {

llvm::LogicalResult verify(mlir::Operation *op);
llvm::LogicalResult verifySymbol(mlir::Operation *op, mlir::FlatSymbolRefAttr symbol,
                                 mlir::SymbolTableCollection &tables);
llvm::LogicalResult verifyArgument(mlir::Operation *op, unsigned argument,
                                   mlir::NamedAttribute attribute);
llvm::LogicalResult verifyResult(mlir::Operation *op, unsigned result,
                                 mlir::NamedAttribute attribute);
llvm::LogicalResult verifyDiscardable(mlir::Operation *op, mlir::NamedAttribute attribute);
llvm::LogicalResult verifyAttribute(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                                    llvm::StringRef name,
                                    llvm::ArrayRef<SinterParameter> parameters);
llvm::LogicalResult fold(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute> operands,
                         llvm::SmallVectorImpl<mlir::OpFoldResult> &results);
mlir::OpFoldResult foldOne(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute> operands);
void addCanonicalization(mlir::RewritePatternSet &patterns, llvm::StringRef opName,
                         mlir::MLIRContext *context);

/// Buffers among the operands are read, those in `written` are written; tensors have no effects.
void bufferEffects(
    mlir::Operation *op, mlir::OperandRange written,
    llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>> &effects);

SinterParameter parameter(int64_t value);
SinterParameter parameter(std::optional<int64_t> value);
SinterParameter parameter(mlir::Attribute value);
SinterParameter parameter(mlir::AffineMap value);

} // namespace sinter::hooks

#endif // SINTER_HOOKS_H
