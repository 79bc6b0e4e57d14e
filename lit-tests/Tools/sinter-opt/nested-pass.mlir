// RUN: sinter-opt %s --pass-pipeline='builtin.module(func.func(test-options{label=inner}))' --verify-diagnostics

// A pass that runs on any operation runs on functions.

// expected-remark @below {{Apple 3 0 false 'inner'}}
// expected-note @below {{a note}}
func.func @f() {
  return
}
