//===- Shim.cpp - diagnostics, remarks and effect queries ---------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
//
//===--------------------------------------------------------------------------===//

#include "Shim.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

static DiagnosticSeverity severityOf(SinterSeverity severity) {
  switch (severity) {
  case SinterError:
    return DiagnosticSeverity::Error;
  case SinterWarning:
    return DiagnosticSeverity::Warning;
  case SinterNote:
    return DiagnosticSeverity::Note;
  case SinterRemark:
    return DiagnosticSeverity::Remark;
  }
  return DiagnosticSeverity::Error;
}

void sinterEmit(SinterSeverity severity, MlirLocation location, MlirStringRef message,
                intptr_t noteCount, const MlirLocation *noteLocations,
                const MlirStringRef *notes) {
  Location loc = unwrap(location);
  InFlightDiagnostic diagnostic =
      loc->getContext()->getDiagEngine().emit(loc, severityOf(severity));
  diagnostic << unwrap(message);
  for (intptr_t i = 0; i < noteCount; ++i)
    diagnostic.attachNote(unwrap(noteLocations[i])) << unwrap(notes[i]);
}

void sinterEmitOpError(MlirOperation op, MlirStringRef message) {
  unwrap(op)->emitOpError() << unwrap(message);
}

void sinterEmitRemark(SinterRemarkKind kind, MlirLocation location, const SinterRemarkText *text,
                      intptr_t metricCount, const MlirStringRef *metricKeys,
                      const MlirStringRef *metricValues) {
  Location loc = unwrap(location);
  remark::RemarkOpts opts = remark::RemarkOpts::name(unwrap(text->name))
                                .category(unwrap(text->category))
                                .function(unwrap(text->function));
  auto fill = [&](remark::detail::InFlightRemark remark) {
    if (!remark)
      return;
    remark << unwrap(text->message);
    if (text->reason.length)
      remark << remark::reason("{0}", unwrap(text->reason));
    if (text->suggestion.length)
      remark << remark::suggest("{0}", unwrap(text->suggestion));
    for (intptr_t i = 0; i < metricCount; ++i)
      remark << remark::metric(unwrap(metricKeys[i]), unwrap(metricValues[i]));
  };
  switch (kind) {
  case SinterPassed:
    return fill(remark::passed(loc, opts));
  case SinterMissed:
    return fill(remark::missed(loc, opts));
  case SinterFailed:
    return fill(remark::failed(loc, opts));
  case SinterAnalysis:
    return fill(remark::analysis(loc, opts));
  }
}

bool sinterOperationIsPure(MlirOperation op) { return isPure(unwrap(op)); }

bool sinterOperationIsMemoryEffectFree(MlirOperation op) { return isMemoryEffectFree(unwrap(op)); }

bool sinterOperationIsTriviallyDead(MlirOperation op) { return isOpTriviallyDead(unwrap(op)); }

const void *sinterDenseResourceData(MlirAttribute attribute, intptr_t *size) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(unwrap(attribute));
  AsmResourceBlob *blob = resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob)
    return nullptr;
  *size = blob->getData().size();
  return blob->getData().data();
}
