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
#include "mlir/Support/LogicalResult.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

using namespace mlir;

static void insertAll(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllGPUToLLVMIRTranslations(registry);
  MlirDialectRegistry wrapped = wrap(&registry);
  sinterInsertGraphDialect(wrapped);
  sinterInsertTloopDialect(wrapped);
  sinterInsertNpuDialect(wrapped);
}

void sinterInsertAllDialects(MlirDialectRegistry registry) { insertAll(*unwrap(registry)); }

void sinterRegisterUpstreamPasses() { registerAllPasses(); }

int sinterOptMain(int argc, char **argv, MlirStringRef name) {
  DialectRegistry registry;
  insertAll(registry);
  return asMainReturnCode(MlirOptMain(argc, argv, unwrap(name), registry));
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
