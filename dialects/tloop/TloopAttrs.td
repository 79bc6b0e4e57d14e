//===- TloopAttrs.td - attributes of the tensor loop dialect -----*- tablegen -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
//
//===--------------------------------------------------------------------------===//

#ifndef SINTER_TLOOP_ATTRS_TD
#define SINTER_TLOOP_ATTRS_TD

include "TloopDialect.td"

def Tloop_LayoutAttr : Tloop_Attr<"Layout", "layout"> {
  let summary = "how a slot's tensor lies in memory";
  let description = [{
    The map of `#graph.layout`, on a slot of a kernel: consumed by `tloop-apply-layouts`.

    ```mlir
    #tloop.layout<(d0, d1, d2, d3) -> (d0 floordiv 16, d2, d3, d1, d0 mod 16)>
    ```
  }];
  let parameters = (ins "::mlir::AffineMap":$map);
  let assemblyFormat = "`<` $map `>`";
  let genVerifyDecl = 1;
}

def Tloop_AxisAttr : Tloop_Attr<"Axis", "axis"> {
  let summary = "a grid axis of a schedule";
  let description = [{
    `extent` points in tiles of `tile`, one tile per block along this axis (the last may be smaller).
    `iters` names, for each stage, the iterator that runs along the axis, or -1.

    ```mlir
    #tloop.axis<extent = 56, tile = 4, iters = [1, -1]>
    ```
  }];
  let parameters = (ins "int64_t":$extent, "int64_t":$tile, "::mlir::DenseI64ArrayAttr":$iters);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Tloop_StageAttr : Tloop_Attr<"Stage", "stage"> {
  let summary = "how one stage is made of registers";
  let description = [{
    `order`: all iterators, outermost first, reductions last. `vector`: the iterator along which
    vectors of `lanes` lanes lie, `vectors` of them per register tile; absent for scalar code. `rows`:
    the iterator whose points form the `row_tile` rows of the register tile. `jam`: a further parallel
    iterator whose loop is unrolled and jammed, so that the register tile has its rows at each of `jam_tile`
    points of it. `unroll`: of the innermost reduction loop. `reduction_tile`: points of each reduction
    iterator that are on chip at once; empty for all.

    ```mlir
    #tloop.stage<order = [0, 1, 2, 3, 4], vector = 1, lanes = 8, vectors = 3, rows = 0, row_tile = 4, unroll = 4, reduction_tile = []>
    ```
  }];
  let parameters = (ins
    "::mlir::DenseI64ArrayAttr":$order,
    OptionalParameter<"std::optional<int64_t>">:$vector,
    "int64_t":$lanes,
    "int64_t":$vectors,
    OptionalParameter<"std::optional<int64_t>">:$rows,
    "int64_t":$row_tile,
    OptionalParameter<"std::optional<int64_t>">:$jam,
    OptionalParameter<"std::optional<int64_t>">:$jam_tile,
    "int64_t":$unroll,
    "::mlir::DenseI64ArrayAttr":$reduction_tile);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Tloop_ScheduleAttr : Tloop_Attr<"Schedule", "schedule"> {
  let summary = "how a kernel's loops become blocks, register tiles and vectors";
  let description = [{
    `grid` has a `#tloop.axis` per iterator that all stages share, outermost first; `stages` has a
    `#tloop.stage` per stage.

    ```mlir
    #tloop.schedule<grid = [#tloop.axis<extent = 56, tile = 4, iters = [1]>], stages = [#tloop.stage<order = [0, 1], vector = 1, lanes = 8, vectors = 1, rows = 0, row_tile = 4, unroll = 1, reduction_tile = []>]>
    ```
  }];
  let parameters = (ins "::mlir::ArrayAttr":$grid, "::mlir::ArrayAttr":$stages);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // SINTER_TLOOP_ATTRS_TD
