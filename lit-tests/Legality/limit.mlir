// RUN: sinter-opt %s --graph-fuse --remark-policy=all --remark-format=emitRemark --remarks-filter=graph-fuse -o /dev/null 2>&1 | FileCheck %s

// A kernel holds at most 32 operators.

// CHECK: remark: {{.*}}[Missed] limit | Category:graph-fuse
// CHECK-SAME: operators, the limit is 32
// CHECK-SAME: with operators = {{[0-9]+}} under [kernels] of the fusion configuration
func.func @main(%x: tensor<64x256xf32>) -> tensor<64x256xf32> {
  %0 = graph.exp %x : tensor<64x256xf32> loc("Exp_0")
  %1 = graph.sin %0 : tensor<64x256xf32> loc("Sin_1")
  %2 = graph.exp %1 : tensor<64x256xf32> loc("Exp_2")
  %3 = graph.sin %2 : tensor<64x256xf32> loc("Sin_3")
  %4 = graph.exp %3 : tensor<64x256xf32> loc("Exp_4")
  %5 = graph.sin %4 : tensor<64x256xf32> loc("Sin_5")
  %6 = graph.exp %5 : tensor<64x256xf32> loc("Exp_6")
  %7 = graph.sin %6 : tensor<64x256xf32> loc("Sin_7")
  %8 = graph.exp %7 : tensor<64x256xf32> loc("Exp_8")
  %9 = graph.sin %8 : tensor<64x256xf32> loc("Sin_9")
  %10 = graph.exp %9 : tensor<64x256xf32> loc("Exp_10")
  %11 = graph.sin %10 : tensor<64x256xf32> loc("Sin_11")
  %12 = graph.exp %11 : tensor<64x256xf32> loc("Exp_12")
  %13 = graph.sin %12 : tensor<64x256xf32> loc("Sin_13")
  %14 = graph.exp %13 : tensor<64x256xf32> loc("Exp_14")
  %15 = graph.sin %14 : tensor<64x256xf32> loc("Sin_15")
  %16 = graph.exp %15 : tensor<64x256xf32> loc("Exp_16")
  %17 = graph.sin %16 : tensor<64x256xf32> loc("Sin_17")
  %18 = graph.exp %17 : tensor<64x256xf32> loc("Exp_18")
  %19 = graph.sin %18 : tensor<64x256xf32> loc("Sin_19")
  %20 = graph.exp %19 : tensor<64x256xf32> loc("Exp_20")
  %21 = graph.sin %20 : tensor<64x256xf32> loc("Sin_21")
  %22 = graph.exp %21 : tensor<64x256xf32> loc("Exp_22")
  %23 = graph.sin %22 : tensor<64x256xf32> loc("Sin_23")
  %24 = graph.exp %23 : tensor<64x256xf32> loc("Exp_24")
  %25 = graph.sin %24 : tensor<64x256xf32> loc("Sin_25")
  %26 = graph.exp %25 : tensor<64x256xf32> loc("Exp_26")
  %27 = graph.sin %26 : tensor<64x256xf32> loc("Sin_27")
  %28 = graph.exp %27 : tensor<64x256xf32> loc("Exp_28")
  %29 = graph.sin %28 : tensor<64x256xf32> loc("Sin_29")
  %30 = graph.exp %29 : tensor<64x256xf32> loc("Exp_30")
  %31 = graph.sin %30 : tensor<64x256xf32> loc("Sin_31")
  %32 = graph.exp %31 : tensor<64x256xf32> loc("Exp_32")
  %33 = graph.sin %32 : tensor<64x256xf32> loc("Sin_33")
  %34 = graph.exp %33 : tensor<64x256xf32> loc("Exp_34")
  %35 = graph.sin %34 : tensor<64x256xf32> loc("Sin_35")
  return %35 : tensor<64x256xf32>
}
