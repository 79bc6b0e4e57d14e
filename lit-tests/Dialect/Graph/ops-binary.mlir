// RUN: sinter-opt %s | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --mlir-print-op-generic | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --emit-bytecode | sinter-opt | FileCheck %s

// Operators of two and three operands, with numpy broadcasting.

// CHECK-LABEL: func.func @binary(
// CHECK-SAME: [[A:%[^:]+]]:{{.*}} [[B:%[^:]+]]:
// CHECK: [[ADD:%.+]] = graph.add [[A]], [[B]] : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
// CHECK: [[SUB:%.+]] = graph.sub [[A]], [[B]] : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
// CHECK: [[MUL:%.+]] = graph.mul [[A]], [[B]] : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
// CHECK: [[DIV:%.+]] = graph.div [[A]], [[B]] : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
// CHECK: [[MAX:%.+]] = graph.max [[A]], [[B]] : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
// CHECK: [[MIN:%.+]] = graph.min [[A]], [[B]] : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
// CHECK: [[POW:%.+]] = graph.pow [[A]], [[B]] : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
// CHECK: [[REM:%.+]] = graph.rem [[A]], [[B]] : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
// CHECK: [[PRELU:%.+]] = graph.prelu [[A]], [[B]] : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
// CHECK: return
func.func @binary(%a: tensor<2x3x4xf32>, %b: tensor<3x1xf32>) {
  %add = graph.add %a, %b : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
  %sub = graph.sub %a, %b : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
  %mul = graph.mul %a, %b : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
  %div = graph.div %a, %b : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
  %max = graph.max %a, %b : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
  %min = graph.min %a, %b : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
  %pow = graph.pow %a, %b : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
  %rem = graph.rem %a, %b : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
  %prelu = graph.prelu %a, %b : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
  return
}

// CHECK-LABEL: func.func @logical(
// CHECK-SAME: [[A:%[^:]+]]:{{.*}} [[B:%[^:]+]]:
// CHECK: [[AND:%.+]] = graph.and [[A]], [[B]] : (tensor<4xi1>, tensor<1xi1>) -> tensor<4xi1>
// CHECK: [[OR:%.+]] = graph.or [[A]], [[B]] : (tensor<4xi1>, tensor<1xi1>) -> tensor<4xi1>
// CHECK: [[XOR:%.+]] = graph.xor [[A]], [[B]] : (tensor<4xi1>, tensor<1xi1>) -> tensor<4xi1>
// CHECK: return
func.func @logical(%a: tensor<4xi1>, %b: tensor<1xi1>) {
  %and = graph.and %a, %b : (tensor<4xi1>, tensor<1xi1>) -> tensor<4xi1>
  %or = graph.or %a, %b : (tensor<4xi1>, tensor<1xi1>) -> tensor<4xi1>
  %xor = graph.xor %a, %b : (tensor<4xi1>, tensor<1xi1>) -> tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @compare(
// CHECK-SAME: [[A:%[^:]+]]:{{.*}} [[B:%[^:]+]]:
// CHECK: [[EQ:%.+]] = graph.compare eq [[A]], [[B]] : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xi1>
// CHECK: [[NE:%.+]] = graph.compare ne [[A]], [[B]] : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xi1>
// CHECK: [[LT:%.+]] = graph.compare lt [[A]], [[B]] : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xi1>
// CHECK: [[LE:%.+]] = graph.compare le [[A]], [[B]] : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xi1>
// CHECK: [[GT:%.+]] = graph.compare gt [[A]], [[B]] : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xi1>
// CHECK: [[GE:%.+]] = graph.compare ge [[A]], [[B]] : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xi1>
// CHECK: return
func.func @compare(%a: tensor<4xf32>, %b: tensor<1xf32>) {
  %eq = graph.compare eq %a, %b : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xi1>
  %ne = graph.compare ne %a, %b : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xi1>
  %lt = graph.compare lt %a, %b : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xi1>
  %le = graph.compare le %a, %b : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xi1>
  %gt = graph.compare gt %a, %b : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xi1>
  %ge = graph.compare ge %a, %b : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @select(
// CHECK-SAME: [[C:%[^:]+]]:{{.*}} [[A:%[^:]+]]:{{.*}} [[B:%[^:]+]]:
// CHECK: [[R0:%.+]] = graph.select [[C]], [[A]], [[B]] : (tensor<4xi1>, tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
// CHECK: return
func.func @select(%c: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<1xf32>) {
  %0 = graph.select %c, %a, %b : (tensor<4xi1>, tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  return
}
