//===- Passes.cpp - passes and pipelines written in Rust ----------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
//
//===--------------------------------------------------------------------------===//

#include "Shim.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace {

/// The options of a pass or pipeline, made from its description. `OwnerT` parses and prints them.
template <typename OwnerT>
class Options {
public:
  Options(OwnerT &owner, const SinterPass &pass) {
    for (intptr_t i = 0; i < pass.optionCount; ++i)
      add(owner, pass.options[i]);
  }

  /// Values as text, in the order of the description.
  std::vector<std::string> values() const {
    std::vector<std::string> out;
    for (const auto &read : readers)
      out.push_back(read());
    return out;
  }

private:
  template <typename T>
  using Option = typename OwnerT::template Option<T>;

  void add(OwnerT &owner, const SinterOption &option) {
    StringRef initial = unwrap(option.initial);
    switch (option.kind) {
    case SinterOptionBool:
      return add<bool>(owner, option, initial == "true",
                       [](bool value) { return std::string(value ? "true" : "false"); });
    case SinterOptionInteger: {
      int64_t value = 0;
      (void)initial.getAsInteger(10, value);
      return add<int64_t>(owner, option, value, [](int64_t v) { return std::to_string(v); });
    }
    case SinterOptionText:
      return add<std::string>(owner, option, initial.str(), [](const std::string &v) { return v; });
    }
  }

  template <typename T, typename ToText>
  void add(OwnerT &owner, const SinterOption &option, T initial, ToText toText) {
    auto member = std::make_shared<Option<T>>(owner, unwrap(option.name),
                                              llvm::cl::desc(unwrap(option.help)),
                                              llvm::cl::init(initial));
    readers.push_back([member, toText] { return toText(member->getValue()); });
  }

  std::vector<std::function<std::string()>> readers;
};

SmallVector<MlirStringRef> references(const std::vector<std::string> &values) {
  SmallVector<MlirStringRef> out;
  for (const std::string &value : values)
    out.push_back(wrap(StringRef(value)));
  return out;
}

LogicalResult check(const SinterPass &pass, const std::vector<std::string> &values,
                    function_ref<LogicalResult(const Twine &)> errorHandler) {
  auto report = [](void *user, MlirStringRef message) {
    (void)(*static_cast<function_ref<LogicalResult(const Twine &)> *>(user))(unwrap(message));
  };
  auto refs = references(values);
  return success(pass.check(pass.data, refs.size(), refs.data(), report, &errorHandler));
}

class RustPass : public Pass {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RustPass)

  explicit RustPass(const SinterPass &pass)
      : Pass(TypeID::get<RustPass>(),
             pass.anchor.length ? std::optional<StringRef>(unwrap(pass.anchor)) : std::nullopt),
        pass(pass), options(*this, pass) {}

  template <typename T>
  using Option = Pass::Option<T>;

  StringRef getName() const override { return unwrap(pass.name); }
  StringRef getArgument() const override { return unwrap(pass.name); }
  StringRef getDescription() const override { return unwrap(pass.summary); }

  bool canScheduleOn(RegisteredOperationName name) const override {
    return !pass.anchor.length || name.getStringRef() == unwrap(pass.anchor);
  }

  LogicalResult initializeOptions(
      StringRef text, function_ref<LogicalResult(const Twine &)> errorHandler) override {
    if (failed(Pass::initializeOptions(text, errorHandler)))
      return failure();
    return check(pass, options.values(), errorHandler);
  }

  LogicalResult initialize(MLIRContext *context) override {
    for (intptr_t i = 0; i < pass.dialectCount; ++i)
      if (!context->getOrLoadDialect(unwrap(pass.dialects[i])))
        return emitError(UnknownLoc::get(context))
               << "pass '" << getName() << "' needs dialect '" << unwrap(pass.dialects[i]) << "'";
    return success();
  }

  void runOnOperation() override {
    std::vector<std::string> values = options.values();
    auto refs = references(values);
    if (!pass.run(pass.data, wrap(getOperation()), refs.size(), refs.data()))
      signalPassFailure();
  }

protected:
  std::unique_ptr<Pass> clonePass() const override {
    auto clone = std::make_unique<RustPass>(pass);
    clone->copyOptionValuesFrom(this);
    return clone;
  }

private:
  const SinterPass &pass;
  Options<RustPass> options;
};

/// Options of a pipeline, made from its description.
class PipelineOptions : public PassPipelineOptions<PipelineOptions> {
public:
  explicit PipelineOptions(const SinterPass &pipeline) : options(*this, pipeline) {}

  template <typename T>
  using Option = detail::PassOptions::Option<T>;

  Options<PipelineOptions> options;
};

} // namespace

void sinterRegisterPass(const SinterPass *pass) {
  registerPass([pass] { return std::make_unique<RustPass>(*pass); });
}

MlirPass sinterCreatePass(const SinterPass *pass, intptr_t count, const MlirStringRef *values) {
  auto made = std::make_unique<RustPass>(*pass);
  std::string text;
  for (intptr_t i = 0; i < count; ++i)
    text += (i ? " " : "") + unwrap(values[i]).str();
  auto errorHandler = [](const Twine &) { return failure(); };
  if (failed(made->initializeOptions(text, errorHandler)))
    return {nullptr};
  return wrap(made.release());
}

void sinterRegisterPipeline(const SinterPass *pipeline) {
  auto build = [pipeline](OpPassManager &manager, StringRef text,
                          function_ref<LogicalResult(const Twine &)> errorHandler) {
    PipelineOptions parsed(*pipeline);
    if (failed(parsed.parseFromString(text)))
      return failure();
    std::vector<std::string> values = parsed.options.values();
    if (failed(check(*pipeline, values, errorHandler)))
      return failure();
    std::string steps;
    auto refs = references(values);
    auto report = [](void *user, MlirStringRef message) {
      *static_cast<std::string *>(user) += unwrap(message);
    };
    if (!pipeline->expand(pipeline->data, refs.size(), refs.data(), report, &steps))
      return errorHandler("pipeline '" + unwrap(pipeline->name) + "' has no steps");
    std::string messages;
    llvm::raw_string_ostream stream(messages);
    if (failed(parsePassPipeline(steps, manager, stream)))
      return errorHandler(messages);
    return success();
  };
  auto printOptions =
      [pipeline](function_ref<void(const detail::PassOptions &)> show) {
        show(PipelineOptions(*pipeline));
      };
  registerPassPipeline(unwrap(pipeline->name), unwrap(pipeline->summary), build, printOptions);
}

bool sinterIsPassRegistered(MlirStringRef name) {
  return PassInfo::lookup(unwrap(name)) || PassPipelineInfo::lookup(unwrap(name));
}
