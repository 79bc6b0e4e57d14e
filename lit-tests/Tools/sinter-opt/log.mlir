// RUN: sinter-opt %s --graph-fuse=device=ascend-910b --log sinter_fusion=debug -o %t 2>&1 | FileCheck %s
// RUN: sinter-opt %s --pass-pipeline='builtin.module(func.func(canonicalize),graph-fuse)' --log=sinter_pass=info -o %t 2>&1 | FileCheck %s --check-prefix=PASSES
// RUN: not sinter-opt %s --log=nonsense=== 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: sinter-opt %s --graph-fuse -o %t 2>&1 | count 0

// The log has a span per stage of fusion and says which code kept which kernels apart; and a span per pass, upstream's too.

// CHECK: fuse{{.*}}rewrite{{.*}}close time.busy=
// CHECK: fuse{{.*}}extract{{.*}}close time.busy=
// CHECK: DEBUG fuse{{.*}}decide{{.*}}apart: {{.*}}code="{{[a-z-]+}}" nodes=["first", "second"]
// CHECK: fuse{{.*}}close time.busy=

// PASSES: INFO pass{name="canonicalize" on="func.func @main"}: sinter_pass: close time.busy=
// PASSES: INFO pass{name="graph-fuse" on="builtin.module"}: sinter_pass: close time.busy=

// WRONG: sinter-opt: --log 'nonsense===' is no filter
func.func @main(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
  %0 = graph.matmul %x, %w : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32> loc("first")
  %1 = graph.softmax %0 axis 1 : tensor<8x64xf32> loc("second")
  return %1 : tensor<8x64xf32>
}
