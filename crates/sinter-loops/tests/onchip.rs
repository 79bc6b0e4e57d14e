//! Kernels lowered to steps over tiles compute what the kernels compute.

use sinter_loops::affine::Affine;
use sinter_loops::interp;
use sinter_loops::kernel::{GridAxis, Kernel, Role, Schedule, Slot, StageSchedule};
use sinter_loops::nest::{Access, Combine, CombineFn, Iter, Nest};
use sinter_loops::onchip::{self, MatrixUnit, OnChip, OnChipError, Space, Step};
use sinter_loops::random;
use sinter_loops::scalar::{BinaryFn, Body, BodyBuilder, FloatBits, Inst, UnaryFn};
use sinter_loops::types::{ElementType, TensorType};

const F32: ElementType = ElementType::F32;

fn it(i: usize) -> Affine {
    Affine::Iter(i)
}

fn slot(shape: &[i64], role: Role) -> Slot {
    Slot::new(TensorType::f32(shape), role)
}

const MACHINE: onchip::Machine = onchip::Machine {
    matrix: Some(MatrixUnit {
        left_bytes: 1024,
        right_bytes: 1024,
        k: 16,
        block_bytes: 32,
        feeds_vector: false,
    }),
    double_buffer: true,
};

fn lower(kernel: &Kernel) -> Result<OnChip, OnChipError> {
    onchip::lower(kernel, &MACHINE)
}

fn check(kernel: &Kernel) -> OnChip {
    kernel.verify().expect("the kernel is legal");
    let inputs: Vec<_> = kernel
        .arguments()
        .map(|s| random::tensor(&kernel.slots[s].ty, &s.to_string(), 7))
        .collect();
    let expected = interp::run(kernel, &inputs);
    let actual = onchip::interp::run(kernel, &MACHINE, &inputs).expect("lowers");
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
        let double = |space| {
            let tiles = chip.tiles.iter().filter(|t| t.space == space);
            tiles.filter(|t| t.double).count()
        };
        assert_eq!(double(Space::L1), if chunks.is_empty() { 0 } else { 2 });
        assert_eq!(double(Space::L0a), double(Space::L0b));
        assert!(chip.bytes_in(Space::L0a) <= 1024 && chip.bytes_in(Space::L0b) <= 1024);
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
fn gaps_are_refused() {
    let kernel = Kernel {
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
}

#[test]
fn positions_follow_the_tile() {
    // y[i] = sum over j of x[i, j] * (10 i + j), and i once more at the end.
    let mut body = BodyBuilder::new([F32]);
    let (i, j) = (body.push(Inst::Index(0)), body.push(Inst::Index(1)));
    let (i, j) = (body.push(Inst::Cast(F32, i)), body.push(Inst::Cast(F32, j)));
    let ten = body.constant(F32, 10.0);
    let weight = body.binary(BinaryFn::Mul, i, ten);
    let weight = body.binary(BinaryFn::Add, weight, j);
    let product = body.binary(BinaryFn::Mul, 0, weight);
    let mut finish = BodyBuilder::new([F32]);
    let i = finish.push(Inst::Index(0));
    let i = finish.push(Inst::Cast(F32, i));
    let sum = finish.binary(BinaryFn::Add, 0, i);
    let nest = Nest {
        iters: vec![Iter::parallel(10), Iter::reduction(6)],
        reads: vec![Access::new(0, vec![it(0), it(1)])],
        body: body.finish(vec![product]),
        combines: vec![Combine {
            function: CombineFn::Add,
            init: FloatBits::new(0.0),
        }],
        finish_reads: Vec::new(),
        finish: finish.finish(vec![sum]),
        writes: vec![Access::new(1, vec![it(0)])],
        contract: false,
        origins: Vec::new(),
    };
    for (tile, chunk) in [(10, 6), (4, 6), (10, 2), (3, 3)] {
        let kernel = Kernel {
            name: "weighted".into(),
            slots: vec![slot(&[10, 6], Role::Input), slot(&[10], Role::Output)],
            stages: vec![nest.clone()],
            schedule: schedule(vec![axis(10, tile, &[Some(0)])], &[&[chunk]]),
        };
        check(&kernel);
    }
}

/// `y[b, i, j] = sum over k of x[b, i, k] * w[b, j, k]`, the second operand transposed where it is read.
fn products(transposed: bool, tiles: [i64; 3], chunk: i64) -> Kernel {
    let (b, m, n, k) = (3, 10, 12, 24);
    let mut product = BodyBuilder::new([F32, F32]);
    let p = product.binary(BinaryFn::Mul, 0, 1);
    let out = if transposed {
        vec![it(0), it(2), it(1)]
    } else {
        vec![it(0), it(1), it(2)]
    };
    let nest = Nest {
        iters: vec![
            Iter::parallel(b),
            Iter::parallel(m),
            Iter::parallel(n),
            Iter::reduction(k),
        ],
        reads: vec![
            Access::new(0, vec![it(0), it(1), it(3)]),
            Access::new(1, vec![it(0), it(2), it(3)]),
        ],
        body: product.finish(vec![p]),
        combines: vec![Combine {
            function: CombineFn::Add,
            init: FloatBits::new(0.0),
        }],
        finish_reads: Vec::new(),
        finish: Body::identity([F32]),
        writes: vec![Access::new(2, out)],
        contract: true,
        origins: Vec::new(),
    };
    let out = if transposed { [b, n, m] } else { [b, m, n] };
    Kernel {
        name: "products".into(),
        slots: vec![
            slot(&[b, m, k], Role::Input),
            slot(&[b, n, k], Role::Input),
            slot(&out, Role::Output),
        ],
        stages: vec![nest],
        schedule: schedule(
            (0..3)
                .map(|a| axis([b, m, n][a], tiles[a], &[Some(a)]))
                .collect(),
            &[&[chunk]],
        ),
    }
}

#[test]
fn products_of_a_batch_are_steps_of_a_batch() {
    for transposed in [false, true] {
        for (tiles, chunk) in [([3, 10, 12], 24), ([1, 10, 12], 8), ([2, 4, 5], 6)] {
            let chip = check(&products(transposed, tiles, chunk));
            assert!(chip.matrix && !chip.vector);
            let rank = if tiles[0] > 1 { 3 } else { 2 };
            let sums = chip.tiles.iter().find(|t| t.space == Space::L0c).unwrap();
            assert_eq!(sums.ty.rank(), rank);
        }
    }
}

#[test]
fn a_step_that_holds_the_whole_depth_needs_no_fill() {
    let whole = check(&products(false, [1, 5, 6], 24));
    assert!(!whole.steps.iter().any(|s| matches!(s, Step::Fill { .. })));
    let stepped = check(&products(false, [1, 10, 12], 24));
    assert!(stepped.steps.iter().any(|s| matches!(s, Step::Fill { .. })));
    assert!(
        stepped
            .steps
            .iter()
            .any(|s| matches!(s, Step::Chunks { .. }))
    );
}

#[test]
fn accumulators_take_the_route_that_there_is() {
    let kernel = conv(1, [9, 9, 10], &[]);
    let mut machine = MACHINE;
    machine.matrix.as_mut().unwrap().feeds_vector = true;
    let chip = onchip::lower(&kernel, &machine).unwrap();
    assert_eq!(chip.bytes_in(Space::Workspace), 0);
    machine.matrix = None;
    assert!(!onchip::lower(&kernel, &machine).unwrap().matrix);
}
