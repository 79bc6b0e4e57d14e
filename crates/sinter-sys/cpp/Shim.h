//===- Shim.h - what LLVM 22's C API lacks ------------------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
//
// Mirrored by the `extern "C"` block of src/shim.rs.
//
//===--------------------------------------------------------------------------===//

#ifndef SINTER_SHIM_H
#define SINTER_SHIM_H

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"
#include "mlir-c/Rewrite.h"

extern "C" {

// Dialects.
void sinterInsertGraphDialect(MlirDialectRegistry registry);
void sinterInsertTloopDialect(MlirDialectRegistry registry);
void sinterInsertNpuDialect(MlirDialectRegistry registry);
/// Remembers a dialect of another crate for the functions below.
void sinterAddDialect(void (*insert)(MlirDialectRegistry registry));
/// All upstream dialects with their extensions, ours, and those of other crates.
void sinterInsertAllDialects(MlirDialectRegistry registry);
/// Those of other crates, and ours where the tool that loads the plugin has none of the name.
void sinterInsertPluginDialects(MlirDialectRegistry registry);

// Diagnostics.
enum SinterSeverity : int32_t { SinterError, SinterWarning, SinterNote, SinterRemark };
void sinterEmit(SinterSeverity severity, MlirLocation location, MlirStringRef message,
                intptr_t noteCount, const MlirLocation *noteLocations,
                const MlirStringRef *notes);
/// "'dialect.op' op message".
void sinterEmitOpError(MlirOperation op, MlirStringRef message);

// Optimisation remarks.
enum SinterRemarkKind : int32_t { SinterPassed, SinterMissed, SinterFailed, SinterAnalysis };
struct SinterRemarkText {
  MlirStringRef name;
  MlirStringRef category;
  MlirStringRef function;
  MlirStringRef message;
  /// Empty for none.
  MlirStringRef reason;
  MlirStringRef suggestion;
};
void sinterEmitRemark(SinterRemarkKind kind, MlirLocation location, const SinterRemarkText *text,
                      intptr_t metricCount, const MlirStringRef *metricKeys,
                      const MlirStringRef *metricValues);

// Effects.
bool sinterOperationIsPure(MlirOperation op);
bool sinterOperationIsMemoryEffectFree(MlirOperation op);
bool sinterOperationIsTriviallyDead(MlirOperation op);

// Constants.
/// The bytes of a dense resource; null if it has none (its file left them out).
const void *sinterDenseResourceData(MlirAttribute attribute, intptr_t *size);

// Passes.
enum SinterOptionKind : int32_t { SinterOptionBool, SinterOptionInteger, SinterOptionText };
struct SinterOption {
  MlirStringRef name;
  MlirStringRef help;
  MlirStringRef initial;
  SinterOptionKind kind;
};
typedef void (*SinterReport)(void *, MlirStringRef);
/// A pass or a pipeline. Everything it points to outlives the process's use of MLIR.
struct SinterPass {
  MlirStringRef name;
  MlirStringRef summary;
  /// Operation that it runs on, or empty for any.
  MlirStringRef anchor;
  intptr_t dialectCount;
  const MlirStringRef *dialects;
  intptr_t optionCount;
  const SinterOption *options;
  void *data;
  /// Whether the options' values are acceptable; reports why not.
  bool (*check)(void *data, intptr_t count, const MlirStringRef *values, SinterReport report,
                void *user);
  /// Runs the pass (never called for a pipeline).
  bool (*run)(void *data, MlirOperation op, intptr_t count, const MlirStringRef *values);
  /// Reports the textual pipeline that a pipeline stands for (never called for a pass).
  bool (*expand)(void *data, intptr_t count, const MlirStringRef *values, SinterReport report,
                 void *user);
};
void sinterRegisterPass(const SinterPass *pass);
void sinterRegisterPipeline(const SinterPass *pipeline);
MlirPass sinterCreatePass(const SinterPass *pass, intptr_t count, const MlirStringRef *values);
void sinterRegisterUpstreamPasses();
/// Whether MLIR's global registry has a pass or pipeline of the name.
bool sinterIsPassRegistered(MlirStringRef name);

// IRDL.
/// Whether an IRDL file can be used beside a registry's dialects; reports, in a line, why not: it cannot be
/// read, defines no dialect or one whose name is taken, or says effects that nobody understands.
bool sinterCheckIrdl(MlirDialectRegistry registry, MlirStringRef file);
/// Attaches the effects that a checked IRDL file declares to the operations that were loaded from it.
/// Reports what is wrong with one.
bool sinterAttachIrdlEffects(MlirContext context, MlirStringRef file);

// Tools.
/// Called around every pass, on the thread that runs it.
struct SinterTrace {
  void (*enter)(MlirStringRef pass, MlirOperation op);
  void (*leave)();
};
/// `trace` may be null.
int sinterOptMain(int argc, char **argv, MlirStringRef name, const SinterTrace *trace);
int sinterLspServerMain(int argc, char **argv);
/// Adds reduction patterns for the named operations, all of one dialect, to a set.
typedef void (*SinterPopulate)(MlirContext context, MlirRewritePatternSet patterns, intptr_t count,
                               const MlirStringRef *names);
int sinterReduceMain(int argc, char **argv, SinterPopulate populate);
}

#endif // SINTER_SHIM_H
