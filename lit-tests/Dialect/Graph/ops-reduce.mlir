// RUN: sinter-opt %s | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --mlir-print-op-generic | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --emit-bytecode | sinter-opt | FileCheck %s

// Reductions and scans.

// CHECK-LABEL: func.func @reduce(
// CHECK-SAME: [[X:%[^:]+]]:
// CHECK: [[SUM:%.+]] = graph.reduce sum [[X]] axes [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
// CHECK: [[MEAN:%.+]] = graph.reduce mean [[X]] axes [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
// CHECK: [[MAX:%.+]] = graph.reduce max [[X]] axes [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
// CHECK: [[MIN:%.+]] = graph.reduce min [[X]] axes [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
// CHECK: [[PROD:%.+]] = graph.reduce prod [[X]] axes [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
// CHECK: [[L1:%.+]] = graph.reduce l1 [[X]] axes [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
// CHECK: [[L2:%.+]] = graph.reduce l2 [[X]] axes [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
// CHECK: [[SUM_SQUARE:%.+]] = graph.reduce sum_square [[X]] axes [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
// CHECK: [[LOG_SUM_EXP:%.+]] = graph.reduce log_sum_exp [[X]] axes [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
// CHECK: [[KEPT:%.+]] = graph.reduce mean [[X]] axes [0, 2] keep_dims true : tensor<2x3x4xf32> -> tensor<1x3x1xf32>
// CHECK: return
func.func @reduce(%x: tensor<2x3x4xf32>) {
  %sum = graph.reduce sum %x axes [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
  %mean = graph.reduce mean %x axes [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
  %max = graph.reduce max %x axes [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
  %min = graph.reduce min %x axes [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
  %prod = graph.reduce prod %x axes [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
  %l1 = graph.reduce l1 %x axes [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
  %l2 = graph.reduce l2 %x axes [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
  %sum_square = graph.reduce sum_square %x axes [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
  %log_sum_exp = graph.reduce log_sum_exp %x axes [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
  %kept = graph.reduce mean %x axes [0, 2] keep_dims true : tensor<2x3x4xf32> -> tensor<1x3x1xf32>
  return
}

// CHECK-LABEL: func.func @arg_reduce(
// CHECK-SAME: [[X:%[^:]+]]:
// CHECK: [[R0:%.+]] = graph.arg_reduce max [[X]] axis 1 : tensor<2x3x4xf32> -> tensor<2x4xi64>
// CHECK: [[R1:%.+]] = graph.arg_reduce min [[X]] axis 1 keep_dims true select_last true : tensor<2x3x4xf32> -> tensor<2x1x4xi64>
// CHECK: return
func.func @arg_reduce(%x: tensor<2x3x4xf32>) {
  %0 = graph.arg_reduce max %x axis 1 : tensor<2x3x4xf32> -> tensor<2x4xi64>
  %1 = graph.arg_reduce min %x axis 1 keep_dims true select_last true : tensor<2x3x4xf32> -> tensor<2x1x4xi64>
  return
}

// CHECK-LABEL: func.func @scan(
// CHECK-SAME: [[X:%[^:]+]]:
// CHECK: [[R0:%.+]] = graph.scan sum [[X]] axis 0 : tensor<16xf32>
// CHECK: [[R1:%.+]] = graph.scan prod [[X]] axis 0 exclusive true reverse true : tensor<16xf32>
// CHECK: return
func.func @scan(%x: tensor<16xf32>) {
  %0 = graph.scan sum %x axis 0 : tensor<16xf32>
  %1 = graph.scan prod %x axis 0 exclusive true reverse true : tensor<16xf32>
  return
}
