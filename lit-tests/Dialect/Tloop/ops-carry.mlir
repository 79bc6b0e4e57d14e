// RUN: sinter-opt %s | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --mlir-print-op-generic | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --emit-bytecode | sinter-opt | FileCheck %s

// Maximum and sum of exponentials of each row in one pass.

// CHECK-LABEL: tloop.kernel @online_softmax(
// CHECK-SAME: [[X:%[^:]+]]:
// CHECK: [[M:%[^:]+]]:2 = tloop.carry domain [4, 16] kinds ["parallel", "reduction"] ins([[X]] : tensor<4x16xf32>) maps [#map] init [-1.000000e+30, 0.000000e+00] update {
// CHECK: ^bb0([[MAX0:%.+]]: f32, [[SUM0:%.+]]: f32, [[MAX1:%.+]]: f32):
// CHECK: [[N:%.+]] = arith.maximumf [[MAX0]], [[SUM0]] : f32
// CHECK: [[J:%.+]] = arith.subf [[SUM0]], [[N]] : f32
// CHECK: [[K:%.+]] = math.exp [[J]] : f32
// CHECK: [[L:%.+]] = arith.mulf [[MAX1]], [[K]] : f32
// CHECK: [[O:%.+]] = arith.subf [[MAX0]], [[N]] : f32
// CHECK: [[P:%.+]] = math.exp [[O]] : f32
// CHECK: [[Q:%.+]] = arith.addf [[L]], [[P]] : f32
// CHECK: tloop.yield [[N]], [[Q]] : f32, f32
// CHECK: } merge {
// CHECK: ^bb0([[MAX0]]: f32, [[SUM0]]: f32, [[MAX1]]: f32, [[SUM1:%.+]]: f32):
// CHECK: [[N]] = arith.maximumf [[MAX0]], [[MAX1]] : f32
// CHECK: [[J]] = arith.subf [[MAX0]], [[N]] : f32
// CHECK: [[K]] = math.exp [[J]] : f32
// CHECK: [[L]] = arith.mulf [[SUM0]], [[K]] : f32
// CHECK: [[O]] = arith.subf [[MAX1]], [[N]] : f32
// CHECK: [[P]] = math.exp [[O]] : f32
// CHECK: [[Q]] = arith.mulf [[SUM1]], [[P]] : f32
// CHECK: [[R:%.+]] = arith.addf [[L]], [[Q]] : f32
// CHECK: tloop.yield [[N]], [[R]] : f32, f32
// CHECK: } writes [#map1, #map1] -> tensor<4xf32>, tensor<4xf32>
// CHECK: tloop.return [[M]]#0, [[M]]#1 : tensor<4xf32>, tensor<4xf32>
tloop.kernel @online_softmax(%x: tensor<4x16xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %m, %s = tloop.carry domain [4, 16] kinds ["parallel", "reduction"] ins(%x : tensor<4x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] init [-1.000000e+30, 0.000000e+00] update {
  ^bb0(%a: f32, %max: f32, %sum: f32):
    %new = arith.maximumf %a, %max : f32
    %d = arith.subf %max, %new : f32
    %e = math.exp %d : f32
    %f = arith.mulf %sum, %e : f32
    %g = arith.subf %a, %new : f32
    %h = math.exp %g : f32
    %i = arith.addf %f, %h : f32
    tloop.yield %new, %i : f32, f32
  } merge {
  ^bb0(%max0: f32, %sum0: f32, %max1: f32, %sum1: f32):
    %n = arith.maximumf %max0, %max1 : f32
    %j = arith.subf %max0, %n : f32
    %k = math.exp %j : f32
    %l = arith.mulf %sum0, %k : f32
    %o = arith.subf %max1, %n : f32
    %p = math.exp %o : f32
    %q = arith.mulf %sum1, %p : f32
    %r = arith.addf %l, %q : f32
    tloop.yield %n, %r : f32, f32
  } writes [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>] -> tensor<4xf32>, tensor<4xf32>
  tloop.return %m, %s : tensor<4xf32>, tensor<4xf32>
}
