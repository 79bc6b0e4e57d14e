//===- Irdl.cpp - effects of operations defined at run time -------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
//
// IRDL has no word for effects, so an operation that it defines has unknown ones, and neither CSE nor
// dead code elimination touches it. The attribute `sinter.effects` of an `irdl.operation` says them.
//
//===--------------------------------------------------------------------------===//

#include "Shim.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/IRDL/IR/IRDL.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace {

/// An operation whose only effect, if it has one, is `EffectT` on memory that is not known further.
template <typename EffectT>
struct Effects : MemoryEffectOpInterface::FallbackModel<Effects<EffectT>> {
  void getEffects(Operation *, SmallVectorImpl<MemoryEffects::EffectInstance> &effects) const {
    if constexpr (!std::is_void_v<EffectT>)
      effects.emplace_back(EffectT::get());
  }
};

struct Speculatable : ConditionallySpeculatable::FallbackModel<Speculatable> {
  Speculation::Speculatability getSpeculatability(Operation *) const {
    return Speculation::Speculatable;
  }
};

} // namespace

static LogicalResult attach(irdl::OperationOp op, StringAttr effects) {
  auto dialect = op->getParentOfType<irdl::DialectOp>();
  std::string name = (dialect.getSymName() + "." + op.getSymName()).str();
  auto loaded = RegisteredOperationName::lookup(name, op.getContext());
  if (!loaded)
    return op.emitError() << "operation '" << name << "' was not loaded";
  if (loaded->hasInterface<MemoryEffectOpInterface>())
    return success();
  StringRef word = effects.getValue();
  if (word == "none")
    loaded->attachInterface<Effects<void>, Speculatable>();
  else if (word == "read")
    loaded->attachInterface<Effects<MemoryEffects::Read>>();
  else if (word == "write")
    loaded->attachInterface<Effects<MemoryEffects::Write>>();
  else
    return op.emitError() << "'sinter.effects' is one of none, read, write, not '" << word << "'";
  return success();
}

bool sinterAttachIrdlEffects(MlirContext context, MlirStringRef file) {
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(unwrap(file), unwrap(context));
  if (!module)
    return false;
  WalkResult walked = module->walk([](irdl::OperationOp op) {
    Attribute declared = op->getAttr("sinter.effects");
    if (!declared)
      return WalkResult::advance();
    auto effects = dyn_cast<StringAttr>(declared);
    if (!effects) {
      op.emitError() << "'sinter.effects' is a string";
      return WalkResult::interrupt();
    }
    return failed(attach(op, effects)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return !walked.wasInterrupted();
}
