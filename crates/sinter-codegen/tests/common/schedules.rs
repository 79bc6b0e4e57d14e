//! Random schedules, and comparison with the interpreter.

use rand::Rng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use sinter_loops::interp;
use sinter_loops::kernel::{GridAxis, Jam, Kernel, Schedule, StageSchedule};
use sinter_loops::nest::{CombineFn, IterKind, Nest};
use sinter_loops::scalar::{BinaryFn, Inst, UnaryFn};
use sinter_loops::shared_axes;
use sinter_loops::tensor::Tensor;

use super::Library;

/// A legal schedule without any sense.
pub(crate) fn random_schedule(kernel: &Kernel, rng: &mut SmallRng) -> Schedule {
    let axes = shared_axes(kernel).expect("a placed kernel").axes;
    let grid = axes
        .into_iter()
        .map(|axis| {
            let tile = match rng.random_range(0..4) {
                0 => axis.extent,
                1 => 1,
                _ => rng.random_range(1..=axis.extent),
            };
            GridAxis {
                extent: axis.extent,
                tile,
                iters: axis.iters,
            }
        })
        .collect();
    let stages = kernel
        .stages
        .iter()
        .map(|nest| random_stage(nest, rng))
        .collect();
    Schedule { grid, stages }
}

fn random_stage(nest: &Nest, rng: &mut SmallRng) -> StageSchedule {
    let mut order: Vec<usize> = nest.parallels().collect();
    order.shuffle(rng);
    order.extend(nest.reductions());
    let count = nest.iters.len();
    let vector = (count > 0 && rng.random_bool(0.8)).then(|| rng.random_range(0..count));
    let others: Vec<usize> = nest.parallels().filter(|&i| Some(i) != vector).collect();
    let rows = (!others.is_empty() && rng.random_bool(0.7))
        .then(|| others[rng.random_range(0..others.len())]);
    let further: Vec<usize> = others.into_iter().filter(|&i| Some(i) != rows).collect();
    let jams = rows.is_some() && !further.is_empty() && rng.random_bool(0.5);
    let jam = jams.then(|| Jam {
        iter: further[rng.random_range(0..further.len())],
        tile: rng.random_range(1..4),
    });
    StageSchedule {
        order,
        vector,
        lanes: if vector.is_some() {
            [2, 4, 8, 16][rng.random_range(0..4)]
        } else {
            1
        },
        vectors: rng.random_range(1..4),
        rows,
        row_tile: rng.random_range(1..6),
        jam,
        unroll: rng.random_range(1..6),
        reduction_tile: vec![],
    }
}

/// Whether a schedule leaves every operation and its order as the interpreter has it.
pub(crate) fn is_exact(kernel: &Kernel) -> bool {
    let stages = kernel.schedule.iter().flat_map(|s| &s.stages);
    let in_order = stages.zip(&kernel.stages).all(|(schedule, nest)| {
        let reordered = schedule
            .vector
            .is_some_and(|v| nest.iters[v].kind == IterKind::Reduction);
        let sums = |f: CombineFn| matches!(f, CombineFn::Add | CombineFn::Mul);
        !(reordered && nest.combines.iter().any(|c| sums(c.function)))
    });
    let approximate = |inst: &Inst| match inst {
        Inst::Unary(f, _) => !matches!(
            f,
            UnaryFn::Neg
                | UnaryFn::Abs
                | UnaryFn::Sqrt
                | UnaryFn::Floor
                | UnaryFn::Ceil
                | UnaryFn::Round
                | UnaryFn::Not
        ),
        Inst::Binary(f, ..) => matches!(f, BinaryFn::Pow | BinaryFn::Rem),
        _ => false,
    };
    let mut insts = kernel
        .stages
        .iter()
        .flat_map(|n| n.body.insts.iter().chain(&n.finish.insts));
    in_order && !insts.any(approximate)
}

/// Runs a kernel and compares its outputs with the interpreter's: bit by bit where the schedule is
/// exact, otherwise within a tolerance. Zeros of both signs are alike, and so are all NaNs.
#[track_caller]
pub(crate) fn assert_agrees(library: &Library, n: usize, kernel: &Kernel, inputs: &[Tensor]) {
    let want = interp::run(kernel, inputs);
    let got = library.run(n, inputs);
    assert_eq!(want.len(), got.len());
    let tolerance = if is_exact(kernel) { 0.0 } else { 2e-5 };
    for (output, (want, got)) in want.iter().zip(&got).enumerate() {
        for (i, (w, g)) in want.to_f64s().into_iter().zip(got.to_f64s()).enumerate() {
            let close = (w - g).abs() <= tolerance * (1.0 + w.abs());
            let same = w == g || (w.is_nan() && g.is_nan()) || close;
            assert!(
                same,
                "kernel {n} output {output} element {i}: {w} is {g} in machine code\n{kernel}\n{:#?}",
                kernel.schedule
            );
        }
    }
}
