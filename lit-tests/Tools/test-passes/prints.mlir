// RUN: sinter-opt %s --test-print-egraph -o %t 2>&1 | FileCheck %s --check-prefix=EGRAPH
// RUN: sinter-opt %s --test-print-legality=device=ascend-910b -o %t 2>&1 | FileCheck %s --check-prefix=LEGALITY
// RUN: sinter-opt %s --graph-fuse --sinter-graph-to-tloop --test-print-price -o %t 2>&1 | FileCheck %s --check-prefix=PRICE
// RUN: sinter-opt %s --sinter-compile="policy=none" --test-print-plan -o %t 2>&1 | FileCheck %s --check-prefix=PLAN
// RUN: sinter-opt %s --sinter-compile="device=ascend-910b" --test-print-plan -o %t 2>&1 | FileCheck %s --check-prefix=TILES

// What the compiler knows, printed on standard error.

// EGRAPH: v{{[0-9]+}}: tensor<8x64xf32>
// EGRAPH-NEXT: * input x  (cost 0)
// EGRAPH: * transpose(v{{[0-9]+}})
// EGRAPH: output result0: v{{[0-9]+}}

// LEGALITY: no-route: first | second | third | fourth: {{.*}}; flips: with a route from l0c to ub
// LEGALITY-NEXT: 1 kernels, 1 refusals

// PRICE: @k0_{{.*}}: {{[0-9.]+}} ns on host: launch {{[0-9.]+}}, vector {{[0-9.]+}}, matrix 0.0, memory {{.*}} blocks

// PLAN: @main: arena of {{[0-9]+}} bytes
// PLAN: [{{[0-9]+}}, {{[0-9]+}}) memref<
// PLAN: the caller's, 2048 bytes: memref<512xf32>

// TILES: @k0{{.*}}: tiles
// TILES-NEXT: [{{[0-9]+}}, {{[0-9]+}}) memref<{{.*}}#npu.space<
func.func @main(%x: tensor<8x64xf32> {graph.name = "x"}, %w: tensor<64x64xf32>) -> tensor<64x8xf32> {
  %0 = graph.matmul %x, %w : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32> loc("first")
  %1 = graph.relu %0 : tensor<8x64xf32> loc("second")
  %2 = graph.softmax %1 axis 1 : tensor<8x64xf32> loc("third")
  %3 = graph.transpose %2 perm [1, 0] : tensor<8x64xf32> -> tensor<64x8xf32> loc("fourth")
  return %3 : tensor<64x8xf32>
}
