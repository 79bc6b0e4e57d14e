// A study of tile sizes, driven by a transform script:
//
//   sinter-opt examples/transform/tile-sweep.mlir --transform-interpreter -o /dev/null
//
// For each number of rows per block and each register tile, the kernel gets a schedule of these sizes, and its price on the
// device is printed. The module `@study` is what is studied; it may hold any kernels, such as those of
// `sinter-opt model.mlir --graph-fuse --convert-graph-to-tloop --tloop-apply-layouts --tloop-place-stages --tloop-coalesce`.

module attributes {transform.with_named_sequence} {
  module @study {
    tloop.kernel @matmul(%x: tensor<64x256xf32>, %w: tensor<256x128xf32>) -> tensor<64x128xf32>
        attributes {roles = ["input", "constant"]} {
      %y = tloop.contract domain [64, 128, 256] kinds ["parallel", "parallel", "reduction"]
        ins(%x, %w : tensor<64x256xf32>, tensor<256x128xf32>)
        maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>]
        writes [affine_map<(d0, d1, d2) -> (d0, d1)>] -> tensor<64x128xf32>
      tloop.return %y : tensor<64x128xf32>
    }
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %2 = transform.param.constant 2 -> !transform.param<i64>
    %4 = transform.param.constant 4 -> !transform.param<i64>
    %6 = transform.param.constant 6 -> !transform.param<i64>
    %all = transform.merge_handles %2, %4, %6 : !transform.param<i64>
    transform.foreach %all : !transform.param<i64> {
    ^bb0(%rows: !transform.param<i64>):
      %study = transform.structured.match ops{["builtin.module"]} attributes {sym_name = "study"} in %root
        : (!transform.any_op) -> !transform.any_op
      %scheduled = transform.apply_registered_pass "tloop-schedule"
        with options = {"rows" = %rows, "replace" = true, "device" = "host"} to %study
        : (!transform.any_op, !transform.param<i64>) -> !transform.any_op
      %priced = transform.apply_registered_pass "test-print-price" to %scheduled
        : (!transform.any_op) -> !transform.any_op
    }
    transform.yield
  }
}
