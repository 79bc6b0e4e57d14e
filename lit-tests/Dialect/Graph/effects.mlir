// RUN: sinter-opt %s --canonicalize | FileCheck %s

// What is not used goes, unless it has an effect.

// CHECK-LABEL: func.func @unused(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: return
func.func @unused(%x: tensor<4xf32>) {
  %0 = graph.exp %x : tensor<4xf32>
  %1:2 = graph.sort %0 axis 0 : tensor<4xf32> -> tensor<4xf32>, tensor<4xi64>
  return
}

// CHECK-LABEL: func.func @unused_group(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: return
func.func @unused_group(%x: tensor<4xf32>) {
  %0 = graph.group @g (%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %1 = graph.relu %a : tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @unused_random(
// CHECK-NEXT: [[R0:%.+]] = graph.random uniform 0.000000e+00, 1.000000e+00 seed 7 : tensor<4xf32>
// CHECK-NEXT: return
func.func @unused_random() {
  %0 = graph.random uniform 0.000000e+00, 1.000000e+00 seed 7 : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @unused_loop(
// CHECK-SAME: [[A0:%[^:]+]]:{{.*}} [[A1:%[^:]+]]:
// CHECK-NEXT: return
func.func @unused_loop(%n: tensor<i64>, %x: tensor<4xf32>) {
  %r = graph.loop %n carry(%x : tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %acc: tensor<4xf32>):
    graph.yield %acc : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @loop_with_effect(
// CHECK-SAME: [[A0:%[^:]+]]:{{.*}} [[A1:%[^:]+]]:
// CHECK-NEXT: [[R0:%.+]] = graph.loop [[A0]] carry([[A1]] : tensor<4xf32>) {
// CHECK-NEXT: ^bb0([[ARG2:%.+]]: tensor<i64>, [[ARG3:%.+]]: tensor<4xf32>):
// CHECK-NEXT: [[R1:%.+]] = graph.random uniform 0.000000e+00, 1.000000e+00 seed 7 : tensor<4xf32>
// CHECK-NEXT: graph.yield [[R1]] : tensor<4xf32>
// CHECK-NEXT: } -> tensor<4xf32>
// CHECK-NEXT: return
func.func @loop_with_effect(%n: tensor<i64>, %x: tensor<4xf32>) {
  %r = graph.loop %n carry(%x : tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %acc: tensor<4xf32>):
    %0 = graph.random uniform 0.000000e+00, 1.000000e+00 seed 7 : tensor<4xf32>
    graph.yield %0 : tensor<4xf32>
  } -> tensor<4xf32>
  return
}
