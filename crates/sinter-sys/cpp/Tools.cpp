//===- Tools.cpp - MLIR's tool mains with every dialect -----------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
//
//===--------------------------------------------------------------------------===//

#include "Shim.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/LogicalResult.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

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

/// As `MlirOptMain`, with the effects that the IRDL file declares: they are attached when the file's
/// operations have been loaded and before the first pass.
static LogicalResult optWithIrdlEffects(StringRef input, StringRef output,
                                        DialectRegistry &registry, MlirOptMainConfig config) {
  std::string error;
  auto source = openInputFile(input, &error);
  auto sink = source ? openOutputFile(output, &error) : nullptr;
  if (!sink) {
    llvm::errs() << error << "\n";
    return failure();
  }
  config.setPassPipelineSetupFn([given = config](PassManager &manager) {
    if (!sinterAttachIrdlEffects(wrap(manager.getContext()), wrap(given.getIrdlFile())))
      return failure();
    return given.setupPassPipeline(manager);
  });
  if (failed(MlirOptMain(sink->os(), std::move(source), registry, config)))
    return failure();
  sink->keep();
  return success();
}

int sinterOptMain(int argc, char **argv, MlirStringRef name) {
  DialectRegistry registry;
  insertAll(registry);
  auto [input, output] = registerAndParseCLIOptions(argc, argv, unwrap(name), registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.getIrdlFile().empty() || config.shouldShowDialects())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  llvm::InitLLVM init(argc, argv);
  return asMainReturnCode(optWithIrdlEffects(input, output, registry, std::move(config)));
}

int sinterLspServerMain(int argc, char **argv) {
  DialectRegistry registry;
  insertAll(registry);
  return asMainReturnCode(MlirLspServerMain(argc, argv, registry));
}

int sinterReduceMain(int argc, char **argv) {
  DialectRegistry registry;
  insertAll(registry);
  MLIRContext context(registry);
  return asMainReturnCode(mlirReduceMain(argc, argv, context));
}
