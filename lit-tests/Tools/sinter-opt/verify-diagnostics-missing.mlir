// RUN: not sinter-opt %s --verify-diagnostics 2>&1 | FileCheck %s

// CHECK: expected error "no such error" was not produced
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{no such error}}
  %0 = graph.softmax %x axis 0 : tensor<4xf32>
  return
}
