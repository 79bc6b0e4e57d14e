// RUN: sinter-opt %s --cse | FileCheck %s

// Equal operators are computed once; attributes count; random numbers are never shared.

// CHECK-LABEL: func.func @equal(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: [[R0:%.+]] = graph.exp [[A0]] : tensor<4xf32>
// CHECK-NEXT: return [[R0]], [[R0]] : tensor<4xf32>, tensor<4xf32>
func.func @equal(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.exp %x : tensor<4xf32>
  %1 = graph.exp %x : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @swapped(
// CHECK-SAME: [[A0:%[^:]+]]:{{.*}} [[A1:%[^:]+]]:
// CHECK-NEXT: [[R0:%.+]] = graph.add [[A0]], [[A1]] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: return [[R0]], [[R0]] : tensor<4xf32>, tensor<4xf32>
func.func @swapped(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.add %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.add %y, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @attributes(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: [[R0:%.+]] = graph.softmax [[A0]] axis 0 : tensor<4x4xf32>
// CHECK-NEXT: [[R1:%.+]] = graph.softmax [[A0]] axis 1 : tensor<4x4xf32>
// CHECK-NEXT: return [[R0]], [[R1]] : tensor<4x4xf32>, tensor<4x4xf32>
func.func @attributes(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = graph.softmax %x axis 0 : tensor<4x4xf32>
  %1 = graph.softmax %x axis 1 : tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// CHECK-LABEL: func.func @random(
// CHECK-NEXT: [[R0:%.+]] = graph.random uniform 0.000000e+00, 1.000000e+00 seed 7 : tensor<4xf32>
// CHECK-NEXT: [[R1:%.+]] = graph.random uniform 0.000000e+00, 1.000000e+00 seed 7 : tensor<4xf32>
// CHECK-NEXT: return [[R0]], [[R1]] : tensor<4xf32>, tensor<4xf32>
func.func @random() -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.random uniform 0.000000e+00, 1.000000e+00 seed 7 : tensor<4xf32>
  %1 = graph.random uniform 0.000000e+00, 1.000000e+00 seed 7 : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @groups(
// CHECK-SAME: [[A0:%[^:]+]]:
// CHECK-NEXT: [[R0:%.+]] = graph.group @g([[A0]] : tensor<4xf32>) {
// CHECK-NEXT: ^bb0([[ARG1:%.+]]: tensor<4xf32>):
// CHECK-NEXT: [[R1:%.+]] = graph.relu [[ARG1]] : tensor<4xf32>
// CHECK-NEXT: graph.yield [[R1]] : tensor<4xf32>
// CHECK-NEXT: } -> tensor<4xf32>
// CHECK-NEXT: return [[R0]], [[R0]] : tensor<4xf32>, tensor<4xf32>
func.func @groups(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.group @g (%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %2 = graph.relu %a : tensor<4xf32>
    graph.yield %2 : tensor<4xf32>
  } -> tensor<4xf32>
  %1 = graph.group @g (%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %2 = graph.relu %a : tensor<4xf32>
    graph.yield %2 : tensor<4xf32>
  } -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
