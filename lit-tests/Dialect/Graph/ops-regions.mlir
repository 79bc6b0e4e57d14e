// RUN: sinter-opt %s | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --mlir-print-op-generic | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --emit-bytecode | sinter-opt | FileCheck %s

// Regions: control flow, the user's own units, groups.

// CHECK-LABEL: func.func @loop(
// CHECK-SAME: [[N:%[^:]+]]:{{.*}} [[X:%[^:]+]]:
// CHECK: [[R:%.+]] = graph.loop [[N]] carry([[X]] : tensor<4xf32>) {
// CHECK: ^bb0([[I:%.+]]: tensor<i64>, [[ACC:%.+]]: tensor<4xf32>):
// CHECK: [[Y:%.+]] = graph.relu [[ACC]] : tensor<4xf32>
// CHECK: graph.yield [[Y]] : tensor<4xf32>
// CHECK: } -> tensor<4xf32>
// CHECK: return [[R]] : tensor<4xf32>
func.func @loop(%n: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = graph.loop %n carry(%x : tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %acc: tensor<4xf32>):
    %y = graph.relu %acc : tensor<4xf32>
    graph.yield %y : tensor<4xf32>
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @if(
// CHECK-SAME: [[C:%[^:]+]]:{{.*}} [[A:%[^:]+]]:{{.*}} [[B:%[^:]+]]:
// CHECK: [[R:%.+]] = graph.if [[C]] {
// CHECK: graph.yield [[A]] : tensor<4xf32>
// CHECK: } else {
// CHECK: graph.yield [[B]] : tensor<4xf32>
// CHECK: } -> tensor<4xf32>
// CHECK: return [[R]] : tensor<4xf32>
func.func @if(%c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r = graph.if %c {
    graph.yield %a : tensor<4xf32>
  } else {
    graph.yield %b : tensor<4xf32>
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @composite(
// CHECK-SAME: [[X:%[^:]+]]:
// CHECK: [[Y:%.+]] = graph.composite "my.gate"([[X]] : tensor<4xf32>) {
// CHECK: ^bb0([[A:%.+]]: tensor<4xf32>):
// CHECK: [[R0:%.+]] = graph.sigmoid [[A]] : tensor<4xf32>
// CHECK: [[R1:%.+]] = graph.mul [[A]], [[R0]] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK: graph.yield [[R1]] : tensor<4xf32>
// CHECK: } -> tensor<4xf32>
// CHECK: return [[Y]] : tensor<4xf32>
func.func @composite(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.composite "my.gate" (%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %0 = graph.sigmoid %a : tensor<4xf32>
    %1 = graph.mul %a, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @group(
// CHECK-SAME: [[X:%[^:]+]]:{{.*}} [[W:%[^:]+]]:
// CHECK: [[Y:%.+]] = graph.group @conv_relu([[X]], [[W]] : tensor<1x8x6x6xf32>, tensor<8x8x3x3xf32>) attributes {decision = #graph.decision<"fused", nodes = ["Conv_0", "Relu_1"], message = "epilogue in registers", saved_bytes = 2304>, layouts = [#graph.layout<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>], placements = [#graph.placement<"concat_7" at [0, 8, 0, 0] of [1, 16, 6, 6]>], price_ns = 1.200000e+03 : f64} {
// CHECK: ^bb0([[A:%.+]]: tensor<1x8x6x6xf32>, [[B:%.+]]: tensor<8x8x3x3xf32>):
// CHECK: [[R0:%.+]] = graph.conv [[A]], [[B]] strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1 : (tensor<1x8x6x6xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x6x6xf32>
// CHECK: [[R1:%.+]] = graph.relu [[R0]] : tensor<1x8x6x6xf32>
// CHECK: graph.yield [[R1]] : tensor<1x8x6x6xf32>
// CHECK: } -> tensor<1x8x6x6xf32>
// CHECK: return [[Y]] : tensor<1x8x6x6xf32>
func.func @group(%x: tensor<1x8x6x6xf32>, %w: tensor<8x8x3x3xf32>) -> tensor<1x8x6x6xf32> {
  %y = graph.group @conv_relu (%x, %w : tensor<1x8x6x6xf32>, tensor<8x8x3x3xf32>) attributes {decision = #graph.decision<"fused", nodes = ["Conv_0", "Relu_1"], message = "epilogue in registers", saved_bytes = 2304>, layouts = [#graph.layout<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>], placements = [#graph.placement<"concat_7" at [0, 8, 0, 0] of [1, 16, 6, 6]>], price_ns = 1.200000e+03 : f64} {
  ^bb0(%a: tensor<1x8x6x6xf32>, %b: tensor<8x8x3x3xf32>):
    %0 = graph.conv %a, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1 : (tensor<1x8x6x6xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x6x6xf32>
    %1 = graph.relu %0 : tensor<1x8x6x6xf32>
    graph.yield %1 : tensor<1x8x6x6xf32>
  } -> tensor<1x8x6x6xf32>
  return %y : tensor<1x8x6x6xf32>
}

// CHECK-LABEL: func.func @eclass(
// CHECK-SAME: [[A:%[^:]+]]:{{.*}} [[B:%[^:]+]]:
// CHECK: [[V:%.+]] = graph.eclass [[A]], [[B]] : tensor<4xf32>
// CHECK: [[W:%.+]] = graph.eclass [[A]], [[V]] {chosen = 1 : i64} : tensor<4xf32>
// CHECK: return [[W]] : tensor<4xf32>
func.func @eclass(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %v = graph.eclass %a, %b : tensor<4xf32>
  %w = graph.eclass %a, %v {chosen = 1 : i64} : tensor<4xf32>
  return %w : tensor<4xf32>
}
