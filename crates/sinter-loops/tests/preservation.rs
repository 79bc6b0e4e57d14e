//! Every transformation keeps the values of random kernels, bit by bit.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use sinter_loops::affine::{Affine, Interval};
use sinter_loops::interp::run;
use sinter_loops::kernel::{Kernel, Layout, Role};
use sinter_loops::nest::Nest;
use sinter_loops::place_stages::{
    PlaceOptions, SharedAxes, SharedAxis, exact_axes, is_tile, place_stages_with, regions,
};
use sinter_loops::tensor::Tensor;
use sinter_loops::{apply_layouts, coalesce, place_stages, shared_axes};

mod programs;

const KERNELS: u64 = 400;

#[test]
fn random_kernels_verify() {
    for seed in 0..KERNELS {
        let kernel = programs::random(seed);
        kernel
            .verify()
            .unwrap_or_else(|e| panic!("seed {seed}: {e}\n{kernel}"));
    }
}

#[test]
fn placing_keeps_values() {
    let (mut placed, mut stages) = (0, [0, 0]);
    for seed in 0..KERNELS {
        let kernel = programs::random(seed);
        let inputs = programs::tensors(&kernel, seed);
        let want = run(&kernel, &inputs);
        let options = PlaceOptions {
            repeat_work: seed % 5 == 0,
        };
        let Ok(new) = place_stages_with(kernel.clone(), options) else {
            continue;
        };
        new.verify()
            .unwrap_or_else(|e| panic!("seed {seed}: {e}\n{kernel}\n{new}"));
        programs::assert_same(&want, &run(&new, &inputs), &new);
        placed += 1;
        stages[0] += kernel.stages.len();
        stages[1] += new.stages.len();
        let merged = coalesce(new.clone());
        merged
            .verify()
            .unwrap_or_else(|e| panic!("seed {seed}: {e}\n{merged}"));
        assert_same_bytes(&want, &merged, &inputs);
        let axes = [shared_axes(&new).unwrap(), shared_axes(&merged).unwrap()];
        blocks_agree(&want, &new, &axes[0], &inputs, seed);
        blocks_agree(&want, &merged, &axes[1], &inputs, seed);
        let blocks = |k: &Kernel| -> i64 {
            let axes = exact_axes(k).map(|a| a.axes).unwrap_or_default();
            axes.iter().map(|a| a.extent).product()
        };
        let kept = blocks(&new) <= blocks(&merged);
        assert!(
            kept,
            "seed {seed}: coalescing lost an axis\n{new}\n{merged}"
        );
    }
    assert!(placed as u64 > KERNELS * 9 / 10, "only {placed} placed");
    assert!(
        stages[1] * 8 < stages[0] * 5,
        "{} stages became {}",
        stages[0],
        stages[1]
    );
}

/// Runs a kernel on inputs seen under its own shapes and compares bytes.
fn assert_same_bytes(want: &[Tensor], kernel: &Kernel, inputs: &[Tensor]) {
    let inputs: Vec<_> = kernel
        .arguments()
        .zip(inputs)
        .map(|(s, t)| t.reshaped(kernel.slots[s].ty.shape.clone()))
        .collect();
    let got = run(kernel, &inputs);
    let got: Vec<_> = got
        .iter()
        .zip(want)
        .map(|(g, w)| g.reshaped(w.ty().shape.clone()))
        .collect();
    programs::assert_same(want, &got, kernel);
}

/// Runs block by block, with fresh temporaries for each: every element of an output must be written
/// by one block.
fn blocks_agree(want: &[Tensor], kernel: &Kernel, axes: &SharedAxes, inputs: &[Tensor], seed: u64) {
    let mut rng = SmallRng::seed_from_u64(seed);
    let tiles: Vec<i64> = axes
        .axes
        .iter()
        .map(|a| rng.random_range(1..=a.extent))
        .collect();
    let counts: Vec<i64> = axes
        .axes
        .iter()
        .zip(&tiles)
        .map(|(a, t)| (a.extent + t - 1) / t)
        .collect();
    let inputs: Vec<_> = kernel
        .arguments()
        .zip(inputs)
        .map(|(s, t)| t.reshaped(kernel.slots[s].ty.shape.clone()))
        .collect();
    let mut bits: Vec<Vec<u32>> = want
        .iter()
        .map(|t| vec![0; t.ty().elements() as usize])
        .collect();
    for block in 0..counts.iter().product() {
        let mut rest = block;
        let mut ranges = vec![Interval::point(0); tiles.len()];
        for a in (0..tiles.len()).rev() {
            let start = rest % counts[a] * tiles[a];
            ranges[a] = Interval {
                min: start,
                max: (start + tiles[a]).min(axes.axes[a].extent) - 1,
            };
            rest /= counts[a];
        }
        for (all, part) in bits
            .iter_mut()
            .zip(run(&restricted(kernel, axes, &ranges, &tiles), &inputs))
        {
            for (bit, value) in all.iter_mut().zip(part.to_f32s()) {
                *bit |= if value.is_nan() {
                    f32::NAN.to_bits()
                } else {
                    value.to_bits()
                };
            }
        }
    }
    let got: Vec<_> = bits
        .iter()
        .zip(want)
        .map(|(b, w)| {
            let values: Vec<f32> = b.iter().map(|&b| f32::from_bits(b)).collect();
            Tensor::from_f32(w.ty().shape.clone(), &values)
        })
        .collect();
    programs::assert_same(want, &got, kernel);
}

/// The part of a kernel that one block computes.
fn restricted(whole: &Kernel, axes: &SharedAxes, ranges: &[Interval], tiles: &[i64]) -> Kernel {
    let mut kernel = whole.clone();
    let regions = |a: &SharedAxis| regions(whole, &a.iters).unwrap();
    let regions: Vec<_> = axes.axes.iter().map(regions).collect();
    for (n, stage) in kernel.stages.iter_mut().enumerate() {
        let mut with: Vec<Affine> = (0..stage.iters.len()).map(Affine::Iter).collect();
        for (a, axis) in axes.axes.iter().enumerate() {
            if let Some(i) = axis.iters[n] {
                let (region, extent) = (regions[a][n].unwrap(), stage.iters[i].extent);
                let (start, points) = match is_tile(region, extent, axis.extent) {
                    true => (ranges[a].min, ranges[a].extent()),
                    false => (
                        region.start(ranges[a].min, tiles[a], extent),
                        region.points(tiles[a], extent),
                    ),
                };
                stage.iters[i].extent = points;
                with[i] = Affine::Iter(i) + start;
            }
        }
        substitute(stage, &with);
    }
    kernel
}

fn substitute(stage: &mut Nest, with: &[Affine]) {
    let inside: Vec<_> = stage
        .iters
        .iter()
        .map(|i| Interval::of_extent(i.extent))
        .collect();
    for access in stage.accesses_mut() {
        access
            .index
            .iter_mut()
            .for_each(|e| *e = e.substitute(with));
    }
    stage.body = stage.body.substitute_index(with, &inside).unwrap();
    stage.finish = stage.finish.substitute_index(with, &inside).unwrap();
}

fn random_layout(rng: &mut SmallRng, rank: usize) -> Option<Layout> {
    let mut perm: Vec<usize> = (0..rank).collect();
    for i in (1..rank).rev() {
        perm.swap(i, rng.random_range(0..=i));
    }
    let layout = Layout::permutation(&perm);
    match rng.random_range(0..4) {
        0 => None,
        1 => Some(layout),
        _ => Some(layout.blocked(rng.random_range(0..rank), rng.random_range(2..4))),
    }
}

/// A tensor as it lies in memory; an input's padding is NaN, a constant's 0.
fn packed(tensor: &Tensor, layout: Option<&Layout>, role: Role) -> Tensor {
    let Some(layout) = layout else {
        return tensor.clone();
    };
    let packed = layout.pack(tensor);
    if role == Role::Constant {
        return packed;
    }
    let ones = Tensor::from_f32(
        tensor.ty().shape.clone(),
        &vec![1.0; tensor.to_f32s().len()],
    );
    let inside = layout.pack(&ones).to_f32s();
    let values: Vec<f32> = packed
        .to_f32s()
        .iter()
        .zip(inside)
        .map(|(&v, i)| if i == 1.0 { v } else { f32::NAN })
        .collect();
    Tensor::from_f32(packed.ty().shape.clone(), &values)
}

#[test]
fn blocks_that_overlap_agree() {
    let mut overlapping = 0;
    for seed in 0..KERNELS / 2 {
        let kernel = programs::windows(seed);
        let inputs = programs::tensors(&kernel, seed);
        let want = run(&kernel, &inputs);
        let new = coalesce(place_stages(kernel.clone()).unwrap());
        new.verify()
            .unwrap_or_else(|e| panic!("seed {seed}: {e}\n{kernel}\n{new}"));
        assert_same_bytes(&want, &new, &inputs);
        let axes = shared_axes(&new).unwrap();
        overlapping += usize::from(axes.axes.iter().any(|a| a.halo));
        blocks_agree(&want, &new, &axes, &inputs, seed);
    }
    assert!(overlapping > 100, "only {overlapping} have a halo");
}

#[test]
fn layouts_keep_values_in_any_order_of_steps() {
    let mut applied = 0;
    for seed in 0..KERNELS {
        let logical = programs::random(seed);
        let inputs = programs::tensors(&logical, seed);
        let want = run(&logical, &inputs);
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut kernel = logical.clone();
        for slot in kernel
            .slots
            .iter_mut()
            .filter(|s| s.role != Role::Temporary)
        {
            slot.layout = random_layout(&mut rng, slot.ty.rank());
        }
        let first = apply_layouts(kernel.clone());
        let then = first.clone().and_then(place_stages).map(coalesce);
        let last = place_stages(kernel.clone())
            .and_then(apply_layouts)
            .map(coalesce);
        for new in [first, then, last].into_iter().flatten() {
            new.verify()
                .unwrap_or_else(|e| panic!("seed {seed}: {e}\n{kernel}\n{new}"));
            let physical: Vec<_> = kernel
                .arguments()
                .zip(&inputs)
                .map(|(s, t)| {
                    let slot = &kernel.slots[s];
                    packed(t, slot.layout.as_ref(), slot.role)
                        .reshaped(new.slots[s].ty.shape.clone())
                })
                .collect();
            let outputs: Vec<_> = kernel
                .slots_of(Role::Output)
                .zip(run(&new, &physical))
                .map(|(s, t)| {
                    let shape = kernel.slots[s].ty.shape.clone();
                    match &kernel.slots[s].layout {
                        Some(l) => l.unpack(&t.reshaped(l.physical_shape(&shape)), &shape),
                        None => t.reshaped(shape),
                    }
                })
                .collect();
            programs::assert_same(&want, &outputs, &new);
            applied += 1;
        }
    }
    assert!(applied as u64 > KERNELS * 5 / 2, "only {applied} applied");
}
