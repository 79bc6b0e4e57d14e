// RUN: sinter-opt %s | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --mlir-print-op-generic | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --emit-bytecode | sinter-opt | FileCheck %s

// Operators of one operand.

// CHECK-LABEL: func.func @unary(
// CHECK-SAME: [[X:%[^:]+]]:{{.*}} [[P:%[^:]+]]:
// CHECK: [[RELU:%.+]] = graph.relu [[X]] : tensor<2x4xf32>
// CHECK: [[HARD_SWISH:%.+]] = graph.hard_swish [[X]] : tensor<2x4xf32>
// CHECK: [[SILU:%.+]] = graph.silu [[X]] : tensor<2x4xf32>
// CHECK: [[SIGMOID:%.+]] = graph.sigmoid [[X]] : tensor<2x4xf32>
// CHECK: [[SOFTPLUS:%.+]] = graph.softplus [[X]] : tensor<2x4xf32>
// CHECK: [[EXP:%.+]] = graph.exp [[X]] : tensor<2x4xf32>
// CHECK: [[LOG:%.+]] = graph.log [[X]] : tensor<2x4xf32>
// CHECK: [[SQRT:%.+]] = graph.sqrt [[X]] : tensor<2x4xf32>
// CHECK: [[RSQRT:%.+]] = graph.rsqrt [[X]] : tensor<2x4xf32>
// CHECK: [[RECIPROCAL:%.+]] = graph.reciprocal [[X]] : tensor<2x4xf32>
// CHECK: [[NEG:%.+]] = graph.neg [[X]] : tensor<2x4xf32>
// CHECK: [[ABS:%.+]] = graph.abs [[X]] : tensor<2x4xf32>
// CHECK: [[TANH:%.+]] = graph.tanh [[X]] : tensor<2x4xf32>
// CHECK: [[ERF:%.+]] = graph.erf [[X]] : tensor<2x4xf32>
// CHECK: [[SIN:%.+]] = graph.sin [[X]] : tensor<2x4xf32>
// CHECK: [[COS:%.+]] = graph.cos [[X]] : tensor<2x4xf32>
// CHECK: [[FLOOR:%.+]] = graph.floor [[X]] : tensor<2x4xf32>
// CHECK: [[CEIL:%.+]] = graph.ceil [[X]] : tensor<2x4xf32>
// CHECK: [[ROUND:%.+]] = graph.round [[X]] : tensor<2x4xf32>
// CHECK: [[SIGN:%.+]] = graph.sign [[X]] : tensor<2x4xf32>
// CHECK: [[NOT:%.+]] = graph.not [[P]] : tensor<2x4xi1>
// CHECK: return
func.func @unary(%x: tensor<2x4xf32>, %p: tensor<2x4xi1>) {
  %relu = graph.relu %x : tensor<2x4xf32>
  %hard_swish = graph.hard_swish %x : tensor<2x4xf32>
  %silu = graph.silu %x : tensor<2x4xf32>
  %sigmoid = graph.sigmoid %x : tensor<2x4xf32>
  %softplus = graph.softplus %x : tensor<2x4xf32>
  %exp = graph.exp %x : tensor<2x4xf32>
  %log = graph.log %x : tensor<2x4xf32>
  %sqrt = graph.sqrt %x : tensor<2x4xf32>
  %rsqrt = graph.rsqrt %x : tensor<2x4xf32>
  %reciprocal = graph.reciprocal %x : tensor<2x4xf32>
  %neg = graph.neg %x : tensor<2x4xf32>
  %abs = graph.abs %x : tensor<2x4xf32>
  %tanh = graph.tanh %x : tensor<2x4xf32>
  %erf = graph.erf %x : tensor<2x4xf32>
  %sin = graph.sin %x : tensor<2x4xf32>
  %cos = graph.cos %x : tensor<2x4xf32>
  %floor = graph.floor %x : tensor<2x4xf32>
  %ceil = graph.ceil %x : tensor<2x4xf32>
  %round = graph.round %x : tensor<2x4xf32>
  %sign = graph.sign %x : tensor<2x4xf32>
  %not = graph.not %p : tensor<2x4xi1>
  return
}

// CHECK-LABEL: func.func @parameters(
// CHECK-SAME: [[X:%[^:]+]]:
// CHECK: [[R0:%.+]] = graph.leaky_relu [[X]] alpha 1.000000e-02 : tensor<2x4xf32>
// CHECK: [[R1:%.+]] = graph.elu [[X]] alpha 1.000000e+00 : tensor<2x4xf32>
// CHECK: [[R2:%.+]] = graph.hard_sigmoid [[X]] alpha 2.000000e-01 beta 5.000000e-01 : tensor<2x4xf32>
// CHECK: [[R3:%.+]] = graph.gelu [[X]] : tensor<2x4xf32>
// CHECK: [[R4:%.+]] = graph.gelu [[X]] approximate true : tensor<2x4xf32>
// CHECK: [[R5:%.+]] = graph.clamp [[X]] min 0.000000e+00 max 6.000000e+00 : tensor<2x4xf32>
// CHECK: [[R6:%.+]] = graph.clamp [[X]] min 5.000000e-01 : tensor<2x4xf32>
// CHECK: [[R7:%.+]] = graph.clamp [[X]] max 5.000000e-01 : tensor<2x4xf32>
// CHECK: return
func.func @parameters(%x: tensor<2x4xf32>) {
  %0 = graph.leaky_relu %x alpha 1.000000e-02 : tensor<2x4xf32>
  %1 = graph.elu %x alpha 1.000000e+00 : tensor<2x4xf32>
  %2 = graph.hard_sigmoid %x alpha 2.000000e-01 beta 5.000000e-01 : tensor<2x4xf32>
  %3 = graph.gelu %x : tensor<2x4xf32>
  %4 = graph.gelu %x approximate true : tensor<2x4xf32>
  %5 = graph.clamp %x min 0.000000e+00 max 6.000000e+00 : tensor<2x4xf32>
  %6 = graph.clamp %x min 5.000000e-01 : tensor<2x4xf32>
  %7 = graph.clamp %x max 5.000000e-01 : tensor<2x4xf32>
  return
}

// CHECK-LABEL: func.func @cast(
// CHECK-SAME: [[X:%[^:]+]]:{{.*}} [[Y:%[^:]+]]:
// CHECK: [[R0:%.+]] = graph.cast [[X]] to f32 : tensor<2x4xi64> -> tensor<2x4xf32>
// CHECK: [[R1:%.+]] = graph.cast [[Y]] to i1 : tensor<2x4xf32> -> tensor<2x4xi1>
// CHECK: return
func.func @cast(%x: tensor<2x4xi64>, %y: tensor<2x4xf32>) {
  %0 = graph.cast %x to f32 : tensor<2x4xi64> -> tensor<2x4xf32>
  %1 = graph.cast %y to i1 : tensor<2x4xf32> -> tensor<2x4xi1>
  return
}
