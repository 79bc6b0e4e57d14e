// RUN: not sinter-opt %s --apply-pdl-patterns 2>&1 | FileCheck %s --check-prefix=NO-FILE
// RUN: not sinter-opt %s --apply-pdl-patterns=file=%s 2>&1 | FileCheck %s --check-prefix=NO-PATTERN
// RUN: not sinter-opt %s --apply-pdl-patterns=file=%S/no-such.mlir 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: not sinter-opt %s --apply-pdl-patterns="file=%S/Inputs/endless.pdl.mlir max-rewrites=100" 2>&1 | FileCheck %s --check-prefix=ENDLESS
// RUN: not sinter-opt %s --apply-pdl-patterns=file=%S/Inputs/unknown.pdl.mlir 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: error: apply-pdl-patterns: {{.*}}unknown.pdl.mlir:4: no operation is called 'graph.sigmoidd'; did you mean 'graph.sigmoid'?
// NO-FILE: error: apply-pdl-patterns: give the file of patterns: file=FILE
// NO-PATTERN: error: apply-pdl-patterns: '{{.*}}refused.mlir' holds no pattern
// ABSENT: error: apply-pdl-patterns: {{.*}}no-such.mlir
// ENDLESS: error: apply-pdl-patterns: the patterns of '{{.*}}endless.pdl.mlir' still match after 100 rewrites
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.relu %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
