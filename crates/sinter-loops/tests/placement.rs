//! What placement makes of the usual patterns.

use sinter_loops::interp::run;
use sinter_loops::kernel::{Kernel, Role};
use sinter_loops::nest::CombineFn;
use sinter_loops::place_stages::{SharedAxes, SharedAxis, exact_axes, regions, tile_axes};
use sinter_loops::scalar::{BinaryFn, UnaryFn};
use sinter_loops::{apply_layouts, coalesce, place_stages, shared_axes};

mod programs;
use programs::Program;

/// Places a kernel, checks its values, and returns it with its axes' extents.
#[track_caller]
fn placed(kernel: &Kernel) -> (Kernel, SharedAxes) {
    kernel.verify().unwrap();
    let new = place_stages(kernel.clone()).unwrap_or_else(|e| panic!("{e}\n{kernel}"));
    new.verify().unwrap();
    let inputs = programs::tensors(kernel, 1);
    programs::assert_same(&run(kernel, &inputs), &run(&new, &inputs), &new);
    let axes = shared_axes(&new).unwrap();
    (new, axes)
}

fn extents(axes: &SharedAxes) -> Vec<i64> {
    axes.axes.iter().map(|a| a.extent).collect()
}

#[test]
fn convolution_with_scale_residual_and_relu_is_one_nest() {
    let mut p = Program::new(0);
    let (x, w) = (p.input(&[1, 4, 6, 6]), p.constant(&[8, 4, 3, 3]));
    let (scale, residual) = (p.constant(&[8, 1, 1]), p.input(&[1, 8, 6, 6]));
    let y = p.conv(x, w, 1);
    let y = p.binary(y, scale, BinaryFn::Mul);
    let y = p.binary(y, residual, BinaryFn::Add);
    let y = p.relu(y);
    let (kernel, _) = placed(&p.finish(&[y]));
    let [stage] = &kernel.stages[..] else {
        panic!("{kernel}")
    };
    assert!(stage.contract);
    assert_eq!(
        (
            stage.reads.len(),
            stage.finish_reads.len(),
            stage.writes.len()
        ),
        (2, 2, 1)
    );
    assert_eq!(stage.origins, ["n0", "n1", "n2", "n3"]);
}

#[test]
fn an_epilogue_may_be_stored_before_and_after() {
    let mut p = Program::new(0);
    let (x, w) = (p.input(&[1, 4, 6, 6]), p.constant(&[8, 4, 1, 1]));
    let y = p.conv(x, w, 1);
    let z = p.unary(y, UnaryFn::Tanh);
    let (kernel, _) = placed(&p.finish(&[y, z]));
    assert_eq!(kernel.stages.len(), 1);
    assert_eq!(kernel.stages[0].writes.len(), 2);
}

#[test]
fn an_epilogue_may_reshape_and_transpose() {
    let mut p = Program::new(0);
    let (x, w) = (p.input(&[10, 12]), p.constant(&[12, 32]));
    let y = p.matmul(x, w);
    let y = p.reshape(y, &[10, 4, 8]);
    let y = p.transpose(y, &[1, 0, 2]);
    let y = p.relu(y);
    let (kernel, _) = placed(&p.finish(&[y]));
    assert_eq!(kernel.stages.len(), 1);
    assert_eq!(kernel.stages[0].extents(), [4, 10, 8, 12]);
    assert!(kernel.stages[0].contract);
}

#[test]
fn softmax_shares_its_rows() {
    let mut p = Program::new(0);
    let x = p.input(&[3, 5, 40]);
    let y = p.softmax(x);
    let (kernel, axes) = placed(&p.finish(&[y]));
    assert_eq!(extents(&axes), [3, 5]);
    let merged = coalesce(kernel);
    assert_eq!(extents(&shared_axes(&merged).unwrap()), [15]);
}

#[test]
fn layer_norm_shares_its_rows() {
    let mut p = Program::new(0);
    let x = p.input(&[7, 40]);
    let y = p.layer_norm(x);
    let (kernel, axes) = placed(&p.finish(&[y]));
    assert_eq!(kernel.stages.len(), 3);
    assert_eq!(extents(&axes), [7]);
}

#[test]
fn attention_shares_heads_and_queries() {
    let mut p = Program::new(0);
    let (q, k, v) = (p.input(&[5, 8]), p.constant(&[8, 9]), p.constant(&[9, 8]));
    let scores = p.matmul(q, k);
    let scale = p.constant(&[1]);
    let scores = p.binary(scores, scale, BinaryFn::Mul);
    let weights = p.softmax(scores);
    let y = p.matmul(weights, v);
    let (kernel, axes) = placed(&p.finish(&[y]));
    assert_eq!(extents(&axes), [5], "{kernel}");
}

#[test]
fn depthwise_then_pointwise_shares_pixels() {
    let mut p = Program::new(0);
    let x = p.input(&[1, 8, 6, 7]);
    let (dw, pw) = (p.constant(&[8, 3, 3]), p.constant(&[16, 8, 1, 1]));
    let y = p.depthwise(x, dw);
    let y = p.relu(y);
    let y = p.conv(y, pw, 1);
    let y = p.relu(y);
    let mut kernel = p.finish(&[y]);
    kernel.slots[0].layout = Some("[0, 2, 3, 1]".parse().unwrap());
    let output = kernel.slots.len() - 4;
    assert_eq!(kernel.slots[output].ty.shape, [1, 16, 6, 7]);
    kernel.slots[output].layout = Some("[0, 2, 3, 1]".parse().unwrap());
    let (logical, axes) = placed(&kernel);
    assert_eq!(logical.stages.len(), 2, "{logical}");
    assert_eq!(extents(&axes), [6, 7]);
    let physical = coalesce(place_stages(apply_layouts(kernel).unwrap()).unwrap());
    assert_eq!(
        extents(&shared_axes(&physical).unwrap()),
        [6, 7],
        "{physical}"
    );
    let between = physical
        .slots
        .iter()
        .find(|s| s.role == Role::Temporary)
        .unwrap();
    assert_eq!(
        between.ty.shape,
        [6, 7, 8],
        "channels are innermost, as in the input"
    );
}

#[test]
fn blocked_weights_do_not_hide_a_shared_channel() {
    let mut p = Program::new(0);
    let (x, w) = (p.input(&[1, 3, 9, 9]), p.constant(&[32, 3, 1, 1]));
    let y = p.conv(x, w, 1);
    let y = p.relu(y);
    let y = p.max_pool(y);
    let mut kernel = p.finish(&[y]);
    let last = Some("[0, 2, 3, 1]".parse().unwrap());
    for slot in kernel
        .slots
        .iter_mut()
        .filter(|s| s.role != Role::Temporary)
    {
        slot.layout.clone_from(&last);
    }
    kernel.slots[1].layout = Some("[0/16, 2, 3, 1, 0%16]".parse().unwrap());
    let kernel = coalesce(place_stages(apply_layouts(kernel).unwrap()).unwrap());
    kernel.verify().unwrap();
    assert_eq!(extents(&exact_axes(&kernel).unwrap()), [2, 16], "{kernel}");
    // Rows and columns of the pool overlap.
    assert_eq!(extents(&shared_axes(&kernel).unwrap()), [5, 5, 2, 16]);
}

#[test]
fn a_small_gate_is_computed_in_every_block() {
    let mut p = Program::new(0);
    let (x, g) = (p.input(&[1, 8, 32, 32]), p.input(&[1, 8, 1, 1]));
    let gate = p.unary(g, UnaryFn::Exp);
    let y = p.binary(x, gate, BinaryFn::Mul);
    let (kernel, axes) = placed(&p.finish(&[y]));
    assert_eq!(kernel.stages.len(), 2);
    assert_eq!(extents(&axes), [8, 32, 32]);
    assert_eq!(axes.axes[1].iters[0], None);
}

#[test]
fn concat_shares_what_its_parts_have_in_common() {
    let mut p = Program::new(0);
    let (x, y) = (p.input(&[2, 3, 6, 7]), p.input(&[2, 5, 6, 7]));
    let y = p.relu(y);
    let z = p.concat(&[x, y], 1);
    let (kernel, axes) = placed(&p.finish(&[z]));
    assert_eq!(kernel.stages.len(), 2);
    assert_eq!(extents(&axes), [2, 6, 7]);
}

#[test]
fn a_product_joined_with_itself_writes_each_part_in_a_stage_of_its_own() {
    let mut p = Program::new(0);
    let (x, w) = (p.input(&[2, 3, 6, 7]), p.constant(&[4, 3, 1, 1]));
    let y = p.conv(x, w, 1);
    let y = p.relu(y);
    let z = p.concat(&[y, y], 1);
    let (kernel, _) = placed(&p.finish(&[z]));
    assert_eq!(kernel.stages.len(), 2);
}

#[test]
fn siblings_that_read_the_same_become_one_nest() {
    let mut p = Program::new(0);
    let x = p.input(&[6, 9]);
    let sum = p.reduce(x, 1, CombineFn::Add);
    let max = p.reduce(x, 1, CombineFn::Max);
    let (kernel, _) = placed(&p.finish(&[sum, max]));
    assert_eq!(kernel.stages.len(), 1);
    assert_eq!(
        (
            kernel.stages[0].reads.len(),
            kernel.stages[0].combines.len()
        ),
        (1, 2)
    );
    let mut p = Program::new(0);
    let x = p.input(&[6, 9]);
    let (y, z) = (p.relu(x), p.unary(x, UnaryFn::Exp));
    let (kernel, _) = placed(&p.finish(&[y, z]));
    assert_eq!(kernel.stages.len(), 1);
    assert_eq!(
        (kernel.stages[0].reads.len(), kernel.stages[0].writes.len()),
        (1, 2)
    );
}

#[test]
fn relu_is_inlined_into_a_padded_convolution_but_not_a_shift() {
    let program = |shift: bool| {
        let mut p = Program::new(0);
        let (x, w) = (p.input(&[1, 16, 20, 20]), p.constant(&[16, 16, 3, 3]));
        let y = if shift { p.add_position(x) } else { p.relu(x) };
        let y = p.conv(y, w, 1);
        p.finish(&[y])
    };
    let (kernel, _) = placed(&program(false));
    assert_eq!(kernel.stages.len(), 1);
    let (kernel, axes) = placed(&program(true));
    assert_eq!(kernel.stages.len(), 2);
    assert!(axes.axes.iter().any(|a| a.halo));
}

#[test]
fn a_mirrored_window_of_a_computed_value_is_refused() {
    let mut p = Program::new(0);
    let x = p.input(&[400, 401]);
    let y = p.add_position(x);
    let y = p.mirrored_max(y);
    let refusal = place_stages(p.finish(&[y])).unwrap_err();
    assert_eq!(refusal.code(), "padded-read-of-computed-value");
}

/// For each axis its extent, and for each stage the part that a tile of 4 points needs.
fn tiles_of_four(kernel: &Kernel, axes: &SharedAxes) -> Vec<(i64, Vec<Option<i64>>)> {
    let tile = |axis: &SharedAxis| {
        let regions = regions(kernel, &axis.iters).unwrap();
        let points = |n: usize| {
            let extent = kernel.stages[n].iters[axis.iters[n]?].extent;
            Some(regions[n]?.points(4, extent))
        };
        (axis.extent, (0..kernel.stages.len()).map(points).collect())
    };
    axes.axes.iter().map(tile).collect()
}

#[test]
fn convolutions_in_a_row_overlap() {
    let mut p = Program::new(0);
    let (x, w) = (p.input(&[1, 4, 20, 21]), p.constant(&[4, 4, 3, 3]));
    let y = p.conv(x, w, 1);
    let y = p.conv(y, w, 2);
    let y = p.conv(y, w, 1);
    let (kernel, axes) = placed(&p.finish(&[y]));
    assert!(axes.axes.iter().all(|a| a.halo));
    let some = |points: [i64; 3]| points.map(Some).to_vec();
    // 4 points of the last need 6 of the second, which need 2 * 5 + 3 of the first.
    assert_eq!(
        tiles_of_four(&kernel, &axes),
        [(10, some([13, 6, 4])), (11, some([13, 6, 4]))]
    );
}

#[test]
fn pointwise_then_depthwise_overlaps_in_rows_and_shares_channels() {
    let mut p = Program::new(0);
    let x = p.input(&[1, 8, 12, 13]);
    let (pw, dw) = (p.constant(&[16, 8, 1, 1]), p.constant(&[16, 3, 3]));
    let y = p.conv(x, pw, 1);
    let y = p.relu(y);
    let y = p.depthwise(y, dw);
    let (kernel, axes) = placed(&p.finish(&[y]));
    let halos: Vec<_> = axes.axes.iter().map(|a| (a.extent, a.halo)).collect();
    assert_eq!(halos, [(16, false), (12, true), (13, true)], "{kernel}");
    assert_eq!(exact_axes(&kernel).unwrap().axes.len(), 1);
    assert_eq!(tile_axes(&kernel).unwrap().axes.len(), 1);
}

#[test]
fn tiles_have_no_axis_along_what_is_read_in_another_place() {
    // Two stages write eight rows each, so each block has all rows, of which it reads its own.
    let mut p = Program::new(0);
    let (x, halves) = (p.input(&[16, 4096]), [p.input(&[8, 4]), p.input(&[8, 4])]);
    let sums = halves.map(|half| p.reduce(half, 1, CombineFn::Add));
    let sums = p.concat(&sums, 0);
    let y = p.binary(x, sums, BinaryFn::Sub);
    let (kernel, _) = placed(&p.finish(&[y]));
    assert_eq!(kernel.stages.len(), 3, "{kernel}");
    assert_eq!(extents(&exact_axes(&kernel).unwrap()), [16, 4096]);
    assert_eq!(extents(&tile_axes(&kernel).unwrap()), [4096]);
}

#[test]
fn an_inverted_residual_is_one_kernel() {
    let mut p = Program::new(0);
    let x = p.input(&[1, 4, 9, 11]);
    let (expand, dw) = (p.constant(&[24, 4, 1, 1]), p.constant(&[24, 3, 3]));
    let project = p.constant(&[4, 24, 1, 1]);
    let y = p.conv(x, expand, 1);
    let y = p.relu(y);
    let y = p.depthwise(y, dw);
    let y = p.conv(y, project, 1);
    let y = p.binary(y, x, BinaryFn::Add);
    let (kernel, axes) = placed(&p.finish(&[y]));
    assert_eq!(kernel.stages.len(), 3);
    assert_eq!(
        tiles_of_four(&kernel, &axes),
        [
            (9, vec![Some(6), Some(4), Some(4)]),
            (11, vec![Some(6), Some(4), Some(4)])
        ]
    );
}

#[test]
fn a_value_that_is_also_an_output_has_no_halo() {
    let mut p = Program::new(0);
    let (x, w) = (p.input(&[1, 4, 90, 91]), p.constant(&[4, 4, 3, 3]));
    let y = p.conv(x, w, 1);
    let z = p.conv(y, w, 1);
    let refusal = place_stages(p.finish(&[y, z])).unwrap_err();
    assert_eq!(refusal.code(), "shape-cannot-share-tile");
}

#[test]
fn products_that_need_whole_columns_cannot_share_a_tile() {
    let mut p = Program::new(0);
    let (x, w) = (p.input(&[200, 50]), p.constant(&[50, 200]));
    let y = p.matmul(x, w);
    let y = p.matmul(y, y);
    let refusal = place_stages(p.finish(&[y])).unwrap_err();
    assert_eq!(refusal.code(), "shape-cannot-share-tile");
}

#[test]
fn outputs_without_a_common_extent_are_refused() {
    let mut p = Program::new(0);
    let (x, y) = (p.input(&[600, 601]), p.input(&[599, 602]));
    let (x, y) = (p.relu(x), p.relu(y));
    let refusal = place_stages(p.finish(&[x, y])).unwrap_err();
    assert_eq!(refusal.code(), "outputs-cannot-share-grid");
}

#[test]
fn refusals_of_what_is_no_plain_kernel() {
    let mut p = Program::new(0);
    let x = p.input(&[4]);
    let y = p.relu(x);
    let kernel = p.finish(&[y]);
    let mut malformed = kernel.clone();
    malformed.stages.clear();
    assert_eq!(
        place_stages(malformed).unwrap_err().code(),
        "malformed-kernel"
    );
    let mut scheduled = kernel;
    scheduled.schedule = Some(sinter_loops::kernel::Schedule {
        grid: Vec::new(),
        stages: Vec::new(),
    });
    assert_eq!(
        place_stages(scheduled.clone()).unwrap_err().code(),
        "already-scheduled"
    );
    assert_eq!(
        apply_layouts(scheduled).unwrap_err().code(),
        "already-scheduled"
    );
}
