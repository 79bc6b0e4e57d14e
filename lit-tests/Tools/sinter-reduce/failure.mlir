// RUN: sinter-reduce %s --interesting failure --message "this is why it fails" --passes='func.func(test-fail)' 2> %t.said | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAID < %t.said
// RUN: sinter-reduce %s --test %S/Inputs/has-exp.sh | FileCheck %s --check-prefix=TEST
// RUN: not sinter-reduce %s --interesting failure 2>&1 | FileCheck %s --check-prefix=NONE

// A failure is told by its message; a test of one's own by its exit code, as mlir-reduce takes it.

// SAID: 0 operations instead of 3,
// CHECK: func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: return %arg0
// TEST: func.func @main
// TEST-NEXT: graph.exp
// TEST-NEXT: return
// NONE: sinter-reduce: '{{.*}}failure.mlir' is not interesting
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32>
  %1 = graph.exp %0 : tensor<4xf32>
  %2 = graph.relu %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
