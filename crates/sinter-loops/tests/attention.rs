//! The forms of `softmax(s) v` compute the same up to rounding.

use sinter_loops::attention::{
    late_normalisation, online_softmax, reciprocal_sums, stored_exponentials,
};
use sinter_loops::interp::run;
use sinter_loops::kernel::{Kernel, Role};
use sinter_loops::nest::CombineFn;
use sinter_loops::scalar::{BinaryFn, Inst, UnaryFn};
use sinter_loops::tensor::Tensor;
use sinter_loops::{coalesce, place_stages, shared_axes};

mod programs;
use programs::Program;

/// `softmax(q k^T * scale + mask) v` with odd extents; decomposed, or with exponentials computed twice
/// as the operator has them.
fn attention(seed: u64, twice: bool) -> Kernel {
    let mut p = Program::new(seed);
    let (heads, rows, columns, width) = (3, 5, 12, 7);
    let q = p.input(&[heads, rows, width]);
    let k = p.input(&[heads, columns, width]);
    let v = p.input(&[heads, columns, width]);
    let (scale, mask) = (p.constant(&[1]), p.input(&[columns]));
    let s = p.batch_matmul(q, k, true);
    let s = p.binary(s, scale, BinaryFn::Mul);
    let s = p.binary(s, mask, BinaryFn::Add);
    let weights = if twice {
        let m = p.reduce(s, 2, CombineFn::Max);
        let e = p.binary(s, m, BinaryFn::Sub);
        let e = p.unary(e, UnaryFn::Exp);
        let l = p.reduce(e, 2, CombineFn::Add);
        let e = p.binary(s, m, BinaryFn::Sub);
        let e = p.unary(e, UnaryFn::Exp);
        p.binary(e, l, BinaryFn::Div)
    } else {
        p.softmax(s)
    };
    let y = p.batch_matmul(weights, v, false);
    let y = p.relu(y);
    p.finish(&[y])
}

#[track_caller]
fn assert_close(want: &[Tensor], got: &[Tensor], kernel: &Kernel) {
    for (w, g) in want.iter().zip(got) {
        for (a, b) in w.to_f32s().iter().zip(g.to_f32s()) {
            let close = (a - b).abs() <= 2e-6 * (1.0 + a.abs());
            assert!(close || (a.is_nan() && b.is_nan()), "{a} is {b}\n{kernel}");
        }
    }
}

/// Stages that compute at least one exponential per score.
fn exponentials(kernel: &Kernel) -> usize {
    let per_score = |s: &&sinter_loops::nest::Nest| s.body.has_transcendental();
    kernel.stages.iter().filter(per_score).count()
}

#[test]
fn stored_exponentials_keep_values_bit_for_bit() {
    for seed in 0..6 {
        let placed = place_stages(attention(seed, true)).unwrap();
        let stored = stored_exponentials(&placed).unwrap();
        assert_eq!(
            (exponentials(&placed), exponentials(&stored)),
            (2, 1),
            "{stored}"
        );
        shared_axes(&stored).unwrap();
        let inputs = programs::tensors(&placed, seed);
        let (want, got) = (run(&placed, &inputs), run(&stored, &inputs));
        assert_eq!(want, got, "{placed}");
        // Decomposed, they are stored as it is.
        let placed = place_stages(attention(seed, false)).unwrap();
        assert_eq!(stored_exponentials(&placed), None, "{placed}");
    }
}

#[test]
fn rows_are_multiplied_by_reciprocals_of_their_sums() {
    let divisions = |kernel: &Kernel, per_score: bool| {
        let bodies = kernel.stages.iter().flat_map(|s| match per_score {
            true => s.body.insts.iter(),
            false => s.finish.insts.iter(),
        });
        let divides = |i: &&Inst| matches!(i, Inst::Binary(BinaryFn::Div, ..));
        bodies.filter(divides).count()
    };
    for seed in 0..6 {
        let placed = place_stages(attention(seed, seed % 2 == 0)).unwrap();
        assert_eq!(divisions(&placed, true), 1, "{placed}");
        let inverse = reciprocal_sums(&placed).unwrap_or_else(|| panic!("{placed}"));
        assert_eq!(divisions(&inverse, true), 0, "{inverse}");
        assert_eq!(divisions(&inverse, false), 1, "{inverse}");
        let inputs = programs::tensors(&placed, seed);
        assert_close(&run(&placed, &inputs), &run(&inverse, &inputs), &inverse);
        assert_eq!(reciprocal_sums(&inverse), None, "{inverse}");
        // Divided late, a row of results is divided.
        let late = late_normalisation(&placed).unwrap();
        let inverse = reciprocal_sums(&late).unwrap_or_else(|| panic!("{late}"));
        assert_close(&run(&placed, &inputs), &run(&inverse, &inputs), &inverse);
    }
}

/// Rows divided by the sum of what `weigh` makes of them, which is read by `further` too.
fn shares(weigh: UnaryFn, further: bool) -> Kernel {
    let mut p = Program::new(0);
    let x = p.input(&[3, 8]);
    let e = p.unary(x, weigh);
    let l = p.reduce(e, 1, CombineFn::Add);
    let mut y = p.binary(e, l, BinaryFn::Div);
    if further {
        y = p.binary(y, l, BinaryFn::Add);
    }
    place_stages(p.finish(&[y])).unwrap()
}

#[test]
fn only_sums_of_exponentials_that_only_divide_become_reciprocals() {
    assert!(reciprocal_sums(&shares(UnaryFn::Exp, false)).is_some());
    // Their reciprocal is wanted for nothing else, and that of a subnormal sum is infinite.
    assert_eq!(reciprocal_sums(&shares(UnaryFn::Exp, true)), None);
    assert_eq!(reciprocal_sums(&shares(UnaryFn::Abs, false)), None);
}

#[test]
fn late_normalisation_keeps_values_and_computes_exponentials_once() {
    for seed in 0..6 {
        let kernel = attention(seed, seed % 2 == 0);
        let inputs = programs::tensors(&kernel, seed);
        let placed = place_stages(kernel.clone()).unwrap();
        let late = late_normalisation(&placed).unwrap_or_else(|| panic!("{placed}"));
        assert_eq!(exponentials(&late), 1, "{late}");
        assert_eq!(late.stages.len(), 5, "{late}");
        // Scale and mask are the scores' epilogue.
        assert_eq!(late.stages[0].finish.insts.len(), 2, "{late}");
        let want = run(&kernel, &inputs);
        assert_close(&want, &run(&late, &inputs), &late);
        assert!(late_normalisation(&late).is_none());
        let extents = |k| -> Vec<i64> {
            let axes = shared_axes(k).unwrap().axes;
            axes.iter().map(|a| a.extent).collect()
        };
        assert_eq!(extents(&late), [3, 5]);
    }
}

#[test]
fn chunks_keep_values() {
    for (seed, chunk) in [(0, 6), (1, 4), (2, 3), (3, 1)] {
        let kernel = attention(seed, seed % 2 == 0);
        let inputs = programs::tensors(&kernel, seed);
        let placed = place_stages(kernel.clone()).unwrap();
        let online = online_softmax(&placed, chunk).unwrap_or_else(|| panic!("{placed}"));
        let want = run(&kernel, &inputs);
        assert_close(&want, &run(&online, &inputs), &online);
        let merged = coalesce(online.clone());
        merged.verify().unwrap();
        let axes = shared_axes(&online).unwrap().axes;
        assert_eq!((axes[0].extent, axes[1].extent), (3, 5));
        let scores = |k: &Kernel| {
            k.slots
                .iter()
                .filter(|s| s.role == Role::Temporary)
                .all(|s| !s.ty.shape.contains(&12))
        };
        assert!(scores(&online), "no temporary holds a row\n{online}");
    }
    let placed = place_stages(attention(0, false)).unwrap();
    assert!(online_softmax(&placed, 5).is_none());
    assert!(online_softmax(&placed, 12).is_none());
}

/// A mask of minus infinity over whole chunks, the first one too.
#[test]
fn masked_chunks_have_no_weight() {
    let kernel = attention(7, false);
    let mut inputs = programs::tensors(&kernel, 7);
    let mask = inputs.iter().position(|t| t.ty().shape == [12]).unwrap();
    let values: Vec<f32> = (0..12)
        .map(|c| {
            if (6..9).contains(&c) {
                0.5
            } else {
                f32::NEG_INFINITY
            }
        })
        .collect();
    inputs[mask] = Tensor::from_f32([12], &values);
    let want = run(&kernel, &inputs);
    let placed = place_stages(kernel).unwrap();
    for chunk in [3, 4] {
        let online = online_softmax(&placed, chunk).unwrap();
        assert_close(&want, &run(&online, &inputs), &online);
    }
    assert!(want[0].to_f32s().iter().all(|v| v.is_finite()));
}

#[test]
fn other_kernels_have_no_such_form() {
    for seed in 0..200 {
        let kernel = programs::random(seed);
        let Ok(placed) = place_stages(kernel.clone()) else {
            continue;
        };
        if let Some(late) = late_normalisation(&placed) {
            let inputs = programs::tensors(&kernel, seed);
            assert_close(&run(&kernel, &inputs), &run(&late, &inputs), &late);
        }
    }
    let mut p = Program::new(0);
    let x = p.input(&[5, 6]);
    let y = p.softmax(x);
    let placed = place_stages(p.finish(&[y])).unwrap();
    assert!(late_normalisation(&placed).is_none());
}
