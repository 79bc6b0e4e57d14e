//! Kernels lowered to steps over tiles compute what the kernels compute.

use sinter_loops::affine::Affine;
use sinter_loops::interp;
use sinter_loops::kernel::{GridAxis, Kernel, Role, Schedule, Slot, StageSchedule};
use sinter_loops::nest::{Access, Combine, CombineFn, Iter, Nest};
use sinter_loops::onchip::{OnChip, OnChipError, Space, Step, lower};
use sinter_loops::random;
use sinter_loops::scalar::{BinaryFn, Body, BodyBuilder, FloatBits, Inst, UnaryFn};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};

const F32: ElementType = ElementType::F32;

fn it(i: usize) -> Affine {
    Affine::Iter(i)
}

fn slot(shape: &[i64], role: Role) -> Slot {
    Slot::new(TensorType::f32(shape), role)
}

/// Device memory and tiles as flat arrays.
struct Machine<'k> {
    kernel: &'k Kernel,
    chip: &'k OnChip,
    slots: Vec<Vec<f32>>,
    tiles: Vec<Vec<f32>>,
}

fn run(kernel: &Kernel, inputs: &[Tensor]) -> Result<Vec<Tensor>, OnChipError> {
    let chip = lower(kernel)?;
    let mut inputs = inputs.iter();
    let fresh = |s: &Slot| match s.role {
        Role::Input | Role::Constant => inputs.next().expect("an input").to_f32s(),
        _ => vec![f32::NAN; s.ty.elements() as usize],
    };
    let slots = kernel.slots.iter().map(fresh).collect();
    let tiles = chip
        .tiles
        .iter()
        .map(|t| vec![f32::NAN; t.ty.elements() as usize])
        .collect();
    let mut machine = Machine {
        kernel,
        chip: &chip,
        slots,
        tiles,
    };
    for block in 0..chip.blocks() {
        machine.steps(&chip.steps, &chip.starts(block));
    }
    let outputs = kernel.slots_of(Role::Output);
    let output = |s: usize| Tensor::from_f32(kernel.slots[s].ty.shape.clone(), &machine.slots[s]);
    Ok(outputs.map(output).collect())
}

impl Machine<'_> {
    fn steps(&mut self, steps: &[Step], starts: &[i64]) {
        for step in steps {
            match step {
                Step::Fill { tile, value } => self.tiles[*tile].fill(value.get() as f32),
                Step::Load {
                    slot,
                    tile,
                    start,
                    pad,
                } => {
                    let fill = pad.map_or(f32::NAN, |p| p.get() as f32);
                    self.tiles[*tile].fill(fill);
                    for (i, place) in self.places(*slot, *tile, start, starts).enumerate() {
                        match place {
                            Some(p) => self.tiles[*tile][i] = self.slots[*slot][p],
                            None => assert!(pad.is_some(), "an unpadded box is inside"),
                        }
                    }
                }
                Step::Store { tile, slot, start } => {
                    let places = self.places(*slot, *tile, start, starts);
                    for (i, place) in places.enumerate() {
                        self.slots[*slot][place.expect("a stored box is inside")] =
                            self.tiles[*tile][i];
                    }
                }
                Step::Move { from, to } => self.tiles[*to] = self.tiles[*from].clone(),
                Step::Compute(nest) => self.nest(nest, false),
                Step::MultiplyAccumulate(nest) => self.nest(nest, true),
                Step::Chunks { axes, body } => {
                    let trips = |a: &sinter_loops::onchip::ChunkAxis| a.extent / a.chunk;
                    for trip in 0..axes.iter().map(trips).product() {
                        let mut rest: i64 = trip;
                        let mut inner = vec![0; axes.len()];
                        for (at, axis) in inner.iter_mut().zip(axes).rev() {
                            *at = rest % trips(axis) * axis.chunk;
                            rest /= trips(axis);
                        }
                        self.steps(body, &[starts, &inner].concat());
                    }
                }
            }
        }
    }

    /// Position in the slot of every element of the tile; `None` outside.
    fn places(
        &self,
        slot: usize,
        tile: usize,
        start: &[Affine],
        starts: &[i64],
    ) -> std::vec::IntoIter<Option<usize>> {
        let (slot, tile) = (&self.kernel.slots[slot].ty, &self.chip.tiles[tile].ty);
        let corner: Vec<_> = start.iter().map(|e| e.eval(starts)).collect();
        let (strides, within) = (slot.strides(), tile.strides());
        let place = |i: i64| {
            let mut at = 0;
            for d in 0..tile.rank() {
                let p = corner[d] + i / within[d] % tile.shape[d];
                if !(0..slot.shape[d]).contains(&p) {
                    return None;
                }
                at += p * strides[d];
            }
            Some(at as usize)
        };
        (0..tile.elements())
            .map(place)
            .collect::<Vec<_>>()
            .into_iter()
    }

    fn nest(&mut self, nest: &Nest, accumulate: bool) {
        let mut nest = nest.clone();
        let mut slots = Vec::new();
        let mut inputs = Vec::new();
        let written: Vec<_> = nest.writes.iter().map(|w| w.operand).collect();
        for read in nest.reads.iter_mut().chain(&mut nest.finish_reads) {
            let ty = &self.chip.tiles[read.operand].ty;
            inputs.push(Tensor::from_f32(
                ty.shape.clone(),
                &self.tiles[read.operand],
            ));
            slots.push(Slot::new(ty.clone(), Role::Input));
            read.operand = slots.len() - 1;
        }
        for write in &mut nest.writes {
            slots.push(Slot::new(
                self.chip.tiles[write.operand].ty.clone(),
                Role::Output,
            ));
            write.operand = slots.len() - 1;
        }
        let kernel = Kernel {
            name: "step".into(),
            slots,
            stages: vec![nest],
            schedule: None,
        };
        kernel.verify().expect("a step is a legal nest");
        for (tile, out) in written.into_iter().zip(interp::run(&kernel, &inputs)) {
            for (old, new) in self.tiles[tile].iter_mut().zip(out.to_f32s()) {
                *old = if accumulate { *old + new } else { new };
            }
        }
    }
}

fn check(kernel: &Kernel) -> OnChip {
    kernel.verify().expect("the kernel is legal");
    let inputs: Vec<_> = kernel
        .arguments()
        .map(|s| random::tensor(&kernel.slots[s].ty, &s.to_string(), 7))
        .collect();
    let expected = interp::run(kernel, &inputs);
    let actual = run(kernel, &inputs).expect("lowers");
    for (e, a) in expected.iter().zip(&actual) {
        let scale = e.to_f64s().iter().fold(1e-3_f64, |m, v| m.max(v.abs()));
        for (i, (e, a)) in e.to_f64s().iter().zip(a.to_f64s()).enumerate() {
            assert!((e - a).abs() <= 1e-5 * scale, "element {i}: {a} is not {e}");
        }
    }
    lower(kernel).expect("lowers")
}

fn axis(extent: i64, tile: i64, iters: &[Option<usize>]) -> GridAxis {
    GridAxis {
        extent,
        tile,
        iters: iters.to_vec(),
    }
}

fn schedule(grid: Vec<GridAxis>, reduction_tiles: &[&[i64]]) -> Option<Schedule> {
    let stage = |t: &&[i64]| StageSchedule {
        reduction_tile: t.to_vec(),
        ..StageSchedule::default()
    };
    Some(Schedule {
        grid,
        stages: reduction_tiles.iter().map(stage).collect(),
    })
}

/// `[n, oh, ow, co]` from `[n, h, w, ci]` and `[kh, kw, ci, co]`, bias and relu.
fn conv(stride: i64, tiles: [i64; 3], chunks: &[i64]) -> Kernel {
    let (h, ci, co, pad) = (9, 6, 10, 1);
    let o = (h + 2 * pad - 3) / stride + 1;
    let iters = vec![
        Iter::parallel(o),
        Iter::parallel(o),
        Iter::parallel(co),
        Iter::reduction(3),
        Iter::reduction(3),
        Iter::reduction(ci),
    ];
    let at = |o: usize, k: usize| it(o) * stride + it(k) + Affine::Const(-pad);
    let mut product = BodyBuilder::new([F32, F32]);
    let p = product.binary(BinaryFn::Mul, 0, 1);
    let mut finish = BodyBuilder::new([F32, F32]);
    let sum = finish.binary(BinaryFn::Add, 0, 1);
    let zero = finish.constant(F32, 0.0);
    let relu = finish.binary(BinaryFn::Max, sum, zero);
    let nest = Nest {
        iters,
        reads: vec![
            Access::padded(0, vec![Affine::ZERO, at(0, 3), at(1, 4), it(5)], 0.0),
            Access::new(1, vec![it(3), it(4), it(5), it(2)]),
        ],
        body: product.finish(vec![p]),
        combines: vec![Combine {
            function: CombineFn::Add,
            init: FloatBits::new(0.0),
        }],
        finish_reads: vec![Access::new(2, vec![it(2)])],
        finish: finish.finish(vec![relu]),
        writes: vec![Access::new(3, vec![Affine::ZERO, it(0), it(1), it(2)])],
        contract: true,
        origins: vec!["conv".into()],
    };
    Kernel {
        name: "conv".into(),
        slots: vec![
            slot(&[1, h, h, ci], Role::Input),
            slot(&[3, 3, ci, co], Role::Constant),
            slot(&[co], Role::Constant),
            slot(&[1, o, o, co], Role::Output),
        ],
        stages: vec![nest],
        schedule: schedule(
            (0..3)
                .map(|a| axis([o, o, co][a], tiles[a], &[Some(a)]))
                .collect(),
            &[chunks],
        ),
    }
}

#[test]
fn convolutions_run_on_the_matrix_unit() {
    for (stride, tiles, chunks) in [
        (1, [9, 9, 10], &[][..]),
        (1, [2, 9, 4], &[1, 1, 6]),
        (1, [4, 3, 10], &[1, 3, 2]),
        (2, [2, 2, 3], &[1, 1, 4]),
    ] {
        let chip = check(&conv(stride, tiles, chunks));
        assert!(chip.matrix && chip.vector);
        assert!(chip.bytes_in(Space::L0c) > 0 && chip.bytes_in(Space::Workspace) > 0);
        let double = chip.tiles.iter().filter(|t| t.double).count();
        assert_eq!(double, if chunks.is_empty() { 0 } else { 2 });
    }
}

#[test]
fn an_accumulator_with_nothing_left_to_do_leaves_straight() {
    let mut kernel = conv(1, [3, 9, 10], &[1, 1, 6]);
    kernel.stages[0].finish = Body::identity([F32]);
    kernel.stages[0].finish_reads.clear();
    kernel.slots.remove(2);
    kernel.stages[0].writes[0].operand = 2;
    let chip = check(&kernel);
    assert!(!chip.vector);
    assert_eq!(
        chip.bytes_in(Space::Ub) + chip.bytes_in(Space::Workspace),
        0
    );
}

#[test]
fn softmax_keeps_its_rows_on_chip() {
    let (rows, columns) = (7, 20);
    let domain = || vec![Iter::parallel(rows), Iter::reduction(columns)];
    let reduce = |reads: Vec<Access>, body: Body, function, init, to| Nest {
        iters: domain(),
        reads,
        body,
        combines: vec![Combine {
            function,
            init: FloatBits::new(init),
        }],
        finish_reads: Vec::new(),
        finish: Body::identity([F32]),
        writes: vec![Access::new(to, vec![it(0)])],
        contract: false,
        origins: vec!["softmax".into()],
    };
    let x = || Access::new(0, vec![it(0), it(1)]);
    let exp = |b: &mut BodyBuilder| {
        let d = b.binary(BinaryFn::Sub, 0, 1);
        b.unary(UnaryFn::Exp, d)
    };
    let mut shifted = BodyBuilder::new([F32, F32]);
    let e = exp(&mut shifted);
    let shifted = shifted.finish(vec![e]);
    let mut divided = BodyBuilder::new([F32, F32, F32]);
    let e = exp(&mut divided);
    let q = divided.binary(BinaryFn::Div, e, 2);
    let divided = divided.finish(vec![q]);
    let row = |slot| Access::new(slot, vec![it(0)]);
    let kernel = Kernel {
        name: "softmax".into(),
        slots: vec![
            slot(&[rows, columns], Role::Input),
            slot(&[rows], Role::Temporary),
            slot(&[rows], Role::Temporary),
            slot(&[rows, columns], Role::Output),
        ],
        stages: vec![
            reduce(
                vec![x()],
                Body::identity([F32]),
                CombineFn::Max,
                f64::NEG_INFINITY,
                1,
            ),
            reduce(vec![x(), row(1)], shifted, CombineFn::Add, 0.0, 2),
            Nest::map(
                vec![Iter::parallel(rows), Iter::parallel(columns)],
                vec![x(), row(1), row(2)],
                divided,
                vec![Access::new(3, vec![it(0), it(1)])],
            ),
        ],
        schedule: None,
    };
    for (tile, chunk) in [(7, 20), (3, 20), (2, 5)] {
        let mut kernel = kernel.clone();
        let grid = vec![axis(rows, tile, &[Some(0), Some(0), Some(0)])];
        kernel.schedule = schedule(grid, &[&[chunk], &[chunk], &[]]);
        let chip = check(&kernel);
        assert!(!chip.matrix);
    }
}

#[test]
fn nearest_upsampling_needs_aligned_tiles() {
    let kernel = |tile| Kernel {
        name: "resize".into(),
        slots: vec![slot(&[5, 4], Role::Input), slot(&[10, 4], Role::Output)],
        stages: vec![Nest::map(
            vec![Iter::parallel(10), Iter::parallel(4)],
            vec![Access::new(0, vec![it(0).floor_div(2), it(1)])],
            Body::identity([F32]),
            vec![Access::new(1, vec![it(0), it(1)])],
        )],
        schedule: schedule(vec![axis(10, tile, &[Some(0)])], &[&[]]),
    };
    check(&kernel(4));
    check(&kernel(10));
    let refused = lower(&kernel(3)).unwrap_err();
    assert_eq!(refused, OnChipError::Unaligned { stage: 0, slot: 0 });
}

#[test]
fn gaps_and_positions_are_refused() {
    let mut kernel = Kernel {
        name: "spread".into(),
        slots: vec![slot(&[6], Role::Input), slot(&[12], Role::Output)],
        stages: vec![Nest::map(
            vec![Iter::parallel(6)],
            vec![Access::new(0, vec![it(0)])],
            Body::identity([F32]),
            vec![Access::new(1, vec![it(0) * 2])],
        )],
        schedule: schedule(vec![axis(6, 3, &[Some(0)])], &[&[]]),
    };
    assert_eq!(
        lower(&kernel).unwrap_err(),
        OnChipError::Gaps { stage: 0, slot: 1 }
    );
    kernel.stages[0].body.insts.push(Inst::Index(0));
    assert_eq!(
        lower(&kernel).unwrap_err(),
        OnChipError::Position { stage: 0, iter: 0 }
    );
}
