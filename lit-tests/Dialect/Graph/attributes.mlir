// RUN: sinter-opt %s --allow-unregistered-dialect | sinter-opt --allow-unregistered-dialect | FileCheck %s
// RUN: sinter-opt %s --allow-unregistered-dialect --mlir-print-op-generic | sinter-opt --allow-unregistered-dialect | FileCheck %s
// RUN: sinter-opt %s --allow-unregistered-dialect --emit-bytecode | sinter-opt --allow-unregistered-dialect | FileCheck %s

// Attributes by themselves.

// CHECK-LABEL: func.func private @attributes(
// CHECK-SAME: test.approximate = #graph.numerics<approximate>
// CHECK-SAME: test.blocked = #graph.layout<(d0, d1, d2, d3) -> (d0, d1 floordiv 8, d2, d3, d1 mod 8)>
// CHECK-SAME: test.channels_last = #graph.layout<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
// CHECK-SAME: test.dim = #graph.dim<"batch", 1, 64>
// CHECK-SAME: test.exact = #graph.numerics<exact>
// CHECK-SAME: test.fused = #graph.decision<"fused", nodes = ["Conv_0", "Relu_1"], message = "epilogue in registers", saved_bytes = 802816>
// CHECK-SAME: test.placement = #graph.placement<"concat_7" at [0, 64, 0, 0] of [1, 128, 28, 28]>
// CHECK-SAME: test.reassociating = #graph.numerics<reassociating>
// CHECK-SAME: test.refused = #graph.decision<"no-route", nodes = ["MatMul_4"], message = "l0c does not reach ub", saved_bytes = 0, flip = "a route from l0c to ub">
// CHECK-SAME: test.rounding = #graph.numerics<rounding>
func.func private @attributes() attributes {
  test.channels_last = #graph.layout<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>,
  test.blocked = #graph.layout<(d0, d1, d2, d3) -> (d0, d1 floordiv 8, d2, d3, d1 mod 8)>,
  test.dim = #graph.dim<"batch", 1, 64>,
  test.placement = #graph.placement<"concat_7" at [0, 64, 0, 0] of [1, 128, 28, 28]>,
  test.fused = #graph.decision<"fused", nodes = ["Conv_0", "Relu_1"], message = "epilogue in registers", saved_bytes = 802816>,
  test.refused = #graph.decision<"no-route", nodes = ["MatMul_4"], message = "l0c does not reach ub", saved_bytes = 0, flip = "a route from l0c to ub">,
  test.exact = #graph.numerics<exact>,
  test.rounding = #graph.numerics<rounding>,
  test.reassociating = #graph.numerics<reassociating>,
  test.approximate = #graph.numerics<approximate>
}
