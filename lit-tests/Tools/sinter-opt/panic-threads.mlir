// RUN: not sinter-opt %s --pass-pipeline='builtin.module(func.func(test-panic))' 2>&1 | FileCheck %s

// Panics on MLIR's threads do not end the process: every function's is reported.

// CHECK-DAG: :[[# @LINE + 3]]:1: error: pass 'test-panic' panicked
// CHECK-DAG: :[[# @LINE + 5]]:1: error: pass 'test-panic' panicked

func.func @f() {
  return
}
func.func @g() {
  return
}
