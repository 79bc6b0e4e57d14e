// RUN: not sinter-opt %s --canonicalize --test-options='fruit=pear how-many=5' --test-panic --mlir-pass-pipeline-crash-reproducer=%t.mlir 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: FileCheck %s --check-prefix=REPRODUCER < %t.mlir
// RUN: not sinter-opt %t.mlir --run-reproducer 2>&1 | FileCheck %s --check-prefix=AGAIN

// A panic leaves a reproducer that holds the options, and fails the same way.

// ERROR: pass 'test-panic' panicked: this is what the panic says
// ERROR: reproducer generated at
// REPRODUCER: graph.relu
// REPRODUCER: pipeline: "builtin.module(canonicalize{{.*}}, test-options{{[{]}}at-least=0 fruit=pear how-many=5 label=none ripe=false}, test-panic)"
// AGAIN: remark: Pear 5 0 false 'none'
// AGAIN: pass 'test-panic' panicked: this is what the panic says
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
