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

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"

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
  return success();
}

/// Refuses attributes that are meant for Sinter and that it would not read, and words that it does not know.
static LogicalResult checkAttributes(Operation *op) {
  constexpr StringRef known = "sinter.effects";
  for (NamedAttribute attribute : op->getDiscardableAttrs()) {
    StringRef name = attribute.getName();
    bool meant = name.starts_with("sinter.") || name == "effects" ||
                 name.edit_distance(known, true, /*MaxEditDistance=*/3) <= 3;
    if (!meant)
      continue;
    if (name != known || !isa<irdl::OperationOp>(op))
      return op->emitError() << "nothing reads '" << name << "' here; an irdl.operation has '" << known
                             << "'";
    auto word = dyn_cast<StringAttr>(attribute.getValue());
    if (!word)
      return op->emitError() << "'" << known << "' is a string";
    if (!llvm::is_contained({"none", "read", "write"}, word.getValue()))
      return op->emitError() << "'" << known << "' is one of none, read, write, not '"
                             << word.getValue() << "'";
  }
  return success();
}

bool sinterCheckIrdl(MlirDialectRegistry wrapped, MlirStringRef file) {
  DialectRegistry &registry = *unwrap(wrapped);
  StringRef path = unwrap(file);
  auto refuse = [&](const Twine &why) {
    llvm::errs() << path << ": error: " << why << "\n";
    return false;
  };
  llvm::sys::fs::file_status status;
  if (std::error_code fault = llvm::sys::fs::status(path, status))
    return refuse(fault.message());
  if (!llvm::sys::fs::is_regular_file(status))
    return refuse("it is no regular file");
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadDialect<irdl::IRDLDialect>();
  ScopedDiagnosticHandler inALine(&context, [](Diagnostic &diagnostic) {
    if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
      llvm::errs() << place.getFilename().getValue() << ':' << place.getLine() << ':'
                   << place.getColumn() << ": ";
    llvm::errs() << "error: " << diagnostic << "\n";
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(path, &context);
  if (!module)
    return false;
  llvm::StringSet<> taken;
  taken.insert("builtin");
  for (StringRef name : registry.getDialectNames())
    taken.insert(name);
  bool defines = false;
  WalkResult walked = module->walk([&](Operation *op) -> WalkResult {
    if (auto dialect = dyn_cast<irdl::DialectOp>(op)) {
      defines = true;
      if (!taken.insert(dialect.getSymName()).second)
        return dialect.emitError() << "a dialect is called '" << dialect.getSymName()
                                   << "' already; give this one another name";
    }
    return checkAttributes(op);
  });
  if (walked.wasInterrupted())
    return false;
  return defines || refuse("it defines no dialect; an IRDL file holds 'irdl.dialect @name { .. }'");
}

bool sinterAttachIrdlEffects(MlirContext context, MlirStringRef file) {
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(unwrap(file), unwrap(context));
  if (!module)
    return false;
  WalkResult walked = module->walk([](irdl::OperationOp op) {
    Attribute declared = op->getAttr("sinter.effects");
    if (!declared)
      return WalkResult::advance();
    // It has been checked.
    auto effects = cast<StringAttr>(declared);
    return failed(attach(op, effects)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return !walked.wasInterrupted();
}
