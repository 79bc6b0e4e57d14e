// RUN: sinter-opt %s --inline | FileCheck %s

// Functions of graph operators are inlined, into functions and into regions.

// CHECK-NOT: @act
func.func private @act(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.sigmoid %x : tensor<4xf32>
  %1 = graph.mul %x, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @main(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: [[R0:%.+]] = graph.sigmoid [[A0]] : tensor<4xf32>
// CHECK-NEXT: [[R1:%.+]] = graph.mul [[A0]], [[R0]] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: return [[R1]] : tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @act(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @in_region(
// CHECK-SAME: [[A0:%[^:]+]]:{{.*}} [[A1:%[^:]+]]:
// CHECK-NEXT: [[R0:%.+]] = graph.loop [[A0]] carry([[A1]] : tensor<4xf32>) {
// CHECK-NEXT: ^bb0([[ARG2:%.+]]: tensor<i64>, [[ARG3:%.+]]: tensor<4xf32>):
// CHECK-NEXT: [[R1:%.+]] = graph.sigmoid [[ARG3]] : tensor<4xf32>
// CHECK-NEXT: [[R2:%.+]] = graph.mul [[ARG3]], [[R1]] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: graph.yield [[R2]] : tensor<4xf32>
// CHECK-NEXT: } -> tensor<4xf32>
// CHECK-NEXT: return [[R0]] : tensor<4xf32>
func.func @in_region(%n: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = graph.loop %n carry(%x : tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %acc: tensor<4xf32>):
    %0 = func.call @act(%acc) : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %0 : tensor<4xf32>
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
