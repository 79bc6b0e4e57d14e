//===- Tools.cpp - MLIR's tool mains with every dialect -----------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
//
//===--------------------------------------------------------------------------===//

#include "Shim.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Rewrite.h"
#include "mlir/CAPI/Support.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Reducer/ReductionPatternInterface.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/LogicalResult.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

#include <cstdlib>
#include <mutex>

using namespace mlir;

namespace {
/// Dialects of other crates, in the order in which they came.
struct Outside {
  std::mutex mutex;
  std::vector<void (*)(MlirDialectRegistry)> inserts;

  void insertInto(MlirDialectRegistry registry) {
    std::lock_guard<std::mutex> lock(mutex);
    for (auto insert : inserts)
      insert(registry);
  }
};
} // namespace

static Outside &outside() {
  static Outside dialects;
  return dialects;
}

void sinterAddDialect(void (*insert)(MlirDialectRegistry)) {
  std::lock_guard<std::mutex> lock(outside().mutex);
  outside().inserts.push_back(insert);
}

void sinterInsertPluginDialects(MlirDialectRegistry registry) {
  auto own = [&](StringRef name, void (*insert)(MlirDialectRegistry)) {
    if (!unwrap(registry)->getDialectAllocator(name))
      insert(registry);
  };
  own("graph", sinterInsertGraphDialect);
  own("tloop", sinterInsertTloopDialect);
  own("npu", sinterInsertNpuDialect);
  outside().insertInto(registry);
}

static void insertAll(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllGPUToLLVMIRTranslations(registry);
  MlirDialectRegistry wrapped = wrap(&registry);
  sinterInsertGraphDialect(wrapped);
  sinterInsertTloopDialect(wrapped);
  sinterInsertNpuDialect(wrapped);
  outside().insertInto(wrapped);
}

void sinterInsertAllDialects(MlirDialectRegistry registry) { insertAll(*unwrap(registry)); }

void sinterRegisterUpstreamPasses() { registerAllPasses(); }

namespace {
/// Tells Rust of every pass. Adaptors, which only hold other passes, have no argument.
class Trace : public PassInstrumentation {
public:
  explicit Trace(const SinterTrace &trace) : trace(trace) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    if (!pass->getArgument().empty())
      trace.enter(wrap(pass->getArgument()), wrap(op));
  }
  void runAfterPass(Pass *pass, Operation *) override {
    if (!pass->getArgument().empty())
      trace.leave();
  }
  void runAfterPassFailed(Pass *pass, Operation *op) override { runAfterPass(pass, op); }

private:
  const SinterTrace trace;
};

/// Rust's reductions of a dialect's operations, as `mlir-reduce` asks for them.
class Reductions : public DialectReductionPatternInterface {
public:
  Reductions(Dialect *dialect, SinterPopulate populate)
      : DialectReductionPatternInterface(dialect), populate(populate) {}

  void populateReductionPatterns(RewritePatternSet &patterns) const override {
    Dialect *dialect = getDialect();
    SmallVector<MlirStringRef> names;
    for (auto op : dialect->getContext()->getRegisteredOperationsByDialect(dialect->getNamespace()))
      names.push_back(wrap(op.getStringRef()));
    populate(wrap(dialect->getContext()), wrap(&patterns), names.size(), names.data());
  }

private:
  SinterPopulate populate;
};
} // namespace

/// As `MlirOptMain`, with two things before the first pass: the effects that the IRDL file declares are
/// attached once the file's operations have been loaded, and passes are traced.
static LogicalResult optWithSetup(StringRef input, StringRef output, DialectRegistry &registry,
                                  MlirOptMainConfig config, const SinterTrace *trace) {
  std::string error;
  auto source = openInputFile(input, &error);
  auto sink = source ? openOutputFile(output, &error) : nullptr;
  if (!sink) {
    llvm::errs() << error << "\n";
    return failure();
  }
  config.setPassPipelineSetupFn([given = config, trace](PassManager &manager) {
    if (trace)
      manager.addInstrumentation(std::make_unique<Trace>(*trace));
    StringRef irdl = given.getIrdlFile();
    if (!irdl.empty() && !sinterAttachIrdlEffects(wrap(manager.getContext()), wrap(irdl)))
      return failure();
    return given.setupPassPipeline(manager);
  });
  LogicalResult result = MlirOptMain(sink->os(), std::move(source), registry, config);
  sink->os().flush();
  if (std::error_code fault = sink->os().error()) {
    sink->os().clear_error();
    // Whoever read the output wants no more of it.
    if (fault != std::errc::broken_pipe) {
      llvm::errs() << "cannot write '" << output << "': " << fault.message() << "\n";
      return failure();
    }
  }
  if (succeeded(result))
    sink->keep();
  return result;
}

/// At exit: what a reader wanted no more of is no failure, and neither is what nobody reads on standard error.
/// LLVM's streams would end the process with an error.
static void forgiveReaders() {
  llvm::outs().flush();
  if (llvm::outs().error() == std::errc::broken_pipe)
    llvm::outs().clear_error();
  llvm::errs().clear_error();
}

static void forgiveReadersAtExit() {
  // What is made before is destroyed after.
  llvm::outs();
  llvm::errs();
  std::atexit(forgiveReaders);
}

/// Whether a file that a user names has no end.
static bool isEndless(StringRef file) {
  llvm::sys::fs::file_status status;
  bool found = !llvm::sys::fs::status(file, status);
  bool device = found && status.type() == llvm::sys::fs::file_type::character_file;
  return device && file != "/dev/null" && !file.starts_with("/dev/std") && !file.starts_with("/dev/fd/");
}

int sinterOptMain(int argc, char **argv, MlirStringRef name, const SinterTrace *trace) {
  forgiveReadersAtExit();
  DialectRegistry registry;
  insertAll(registry);
  // Read by Rust before this; here so that help knows it.
  static llvm::cl::opt<std::string> log(
      "log", llvm::cl::value_desc("filter"),
      llvm::cl::desc("What goes to the log on standard error: a level, or targets with levels "
                     "(sinter_fusion=debug)"));
  auto [input, output] = registerAndParseCLIOptions(argc, argv, unwrap(name), registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (isEndless(input)) {
    llvm::errs() << "cannot read '" << input << "': it is no regular file\n";
    return EXIT_FAILURE;
  }
  StringRef irdl = config.getIrdlFile();
  if (!irdl.empty() && !sinterCheckIrdl(wrap(&registry), wrap(irdl)))
    return EXIT_FAILURE;
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  // A pipe that is read no further is an error of its stream, as a full disk is, and no signal.
  llvm::InitLLVM init(argc, argv, /*InstallPipeSignalExitHandler=*/false);
  return asMainReturnCode(optWithSetup(input, output, registry, std::move(config), trace));
}

int sinterLspServerMain(int argc, char **argv) {
  DialectRegistry registry;
  insertAll(registry);
  return asMainReturnCode(MlirLspServerMain(argc, argv, registry));
}

int sinterReduceMain(int argc, char **argv, SinterPopulate populate) {
  forgiveReadersAtExit();
  DialectRegistry registry;
  insertAll(registry);
  MLIRContext context(registry);
  // What kernels are made of, beside our own dialects.
  for (StringRef name : {"graph", "tloop", "npu", "arith", "math", "memref", "scf", "vector"})
    context.getOrLoadDialect(name)->addInterface<Reductions>(populate);
  return asMainReturnCode(mlirReduceMain(argc, argv, context));
}
