//! Machine code of random kernels under random schedules, against the interpreter.

mod common;
#[path = "../../sinter-loops/tests/programs/mod.rs"]
mod programs;

use common::schedules::{assert_agrees, random_schedule};
use common::{Library, library};
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use sinter_codegen::Target;
use sinter_device::{Device, HostCpu, schedule};
use sinter_loops::affine::Affine;
use sinter_loops::kernel::{Kernel, Role, Slot};
use sinter_loops::nest::{Access, Combine, CombineFn, Iter, IterKind, Nest};
use sinter_loops::scalar::{BinaryFn, Body, BodyBuilder, CompareFn, FloatBits, UnaryFn};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};
use sinter_loops::{coalesce, place_stages, shared_axes};

/// Kernels per module.
const BATCH: usize = 25;

/// Compiles the kernels in modules and compares each.
fn check(kernels: &[(Kernel, Vec<Tensor>)], target: &Target) {
    for batch in kernels.chunks(BATCH) {
        let only: Vec<Kernel> = batch.iter().map(|(k, _)| k.clone()).collect();
        let library: Library = library(&only, target);
        for (n, (kernel, inputs)) in batch.iter().enumerate() {
            assert_agrees(&library, n, kernel, inputs);
        }
    }
}

fn d(i: usize) -> Affine {
    Affine::Iter(i)
}

fn scheduled(mut kernel: Kernel, rng: &mut SmallRng) -> Kernel {
    kernel.verify().unwrap_or_else(|e| panic!("{e}\n{kernel}"));
    kernel.schedule = Some(random_schedule(&kernel, rng));
    kernel
}

#[test]
fn programs_of_several_operators() {
    check(&programs(0..100, scheduled), &Target::host());
}

#[test]
fn programs_as_the_device_schedules_them() {
    let device = Device::load("host")
        .expect("the host's file")
        .with_host_cpu(HostCpu::detect());
    let by_device = |mut kernel: Kernel, _: &mut SmallRng| {
        kernel.schedule = Some(schedule(&kernel, &device).expect("a schedule").0);
        kernel
    };
    check(&programs(200..300, by_device), &Target::host());
}

/// Blocks overlap wherever a value is read through a window.
#[test]
fn windows_of_computed_values() {
    // Without lanes along reductions every operation is in the interpreter's order.
    let in_order = |kernel: Kernel, rng: &mut SmallRng| {
        let mut kernel = scheduled(kernel, rng);
        let schedule = kernel.schedule.iter_mut().flat_map(|s| &mut s.stages);
        for (stage, nest) in schedule.zip(&kernel.stages) {
            let reduced = |v: usize| nest.iters[v].kind == IterKind::Reduction;
            if stage.vector.is_some_and(reduced) {
                (stage.vector, stage.lanes) = (None, 1);
            }
        }
        kernel
    };
    let kernels = made(0..100, programs::windows, in_order);
    let halo = |(k, _): &&(Kernel, Vec<Tensor>)| {
        let axes = shared_axes(k).expect("a placed kernel").axes;
        axes.iter().any(|a| a.halo)
    };
    assert!(kernels.iter().filter(halo).count() > 50);
    check(&kernels, &Target::host());
}

fn programs(
    seeds: std::ops::Range<u64>,
    schedule: impl Fn(Kernel, &mut SmallRng) -> Kernel,
) -> Vec<(Kernel, Vec<Tensor>)> {
    made(seeds, programs::random, schedule)
}

fn made(
    seeds: std::ops::Range<u64>,
    program: impl Fn(u64) -> Kernel,
    schedule: impl Fn(Kernel, &mut SmallRng) -> Kernel,
) -> Vec<(Kernel, Vec<Tensor>)> {
    let mut kernels = Vec::new();
    for seed in seeds {
        let mut rng = SmallRng::seed_from_u64(seed);
        let program = program(seed);
        let inputs = programs::tensors(&program, seed);
        let Ok(placed) = place_stages(program) else {
            continue;
        };
        let placed = if seed % 2 == 0 {
            coalesce(placed)
        } else {
            placed
        };
        let arguments: Vec<usize> = placed.arguments().collect();
        let inputs = arguments
            .iter()
            .zip(&inputs)
            .map(|(&s, t)| t.reshaped(placed.slots[s].ty.shape.clone()))
            .collect();
        kernels.push((schedule(placed, &mut rng), inputs));
    }
    assert!(kernels.len() > 80);
    kernels
}

/// A window operation on an image, channels first or last, with stride, dilation and padding.
fn window_kernel(rng: &mut SmallRng) -> Kernel {
    let (h, w) = (rng.random_range(1..12), rng.random_range(1..24));
    let (ci, co) = (rng.random_range(1..10), rng.random_range(1..40));
    let (kh, kw) = (rng.random_range(1..4), rng.random_range(1..5));
    let (stride, dilation) = (rng.random_range(1..4), rng.random_range(1..3));
    let (ph, pw) = (rng.random_range(0..kh + 1), rng.random_range(0..kw + 1));
    let out = |size: i64, k: i64, p: i64| (size + 2 * p - dilation * (k - 1) - 1) / stride + 1;
    let (oh, ow) = (out(h, kh, ph).max(1), out(w, kw, pw).max(1));
    let last = rng.random_bool(0.6);
    let arrange = |y, x, c| if last { vec![y, x, c] } else { vec![c, y, x] };
    let at = |o: usize, k: usize, p: i64| d(o) * stride + d(k) * dilation + Affine::Const(-p);
    // Iterators: y, x, output channel; ky, kx and, for convolutions, the input channel.
    let kind = rng.random_range(0..4);
    let channels = if kind == 0 { ci } else { co };
    let channel = if kind == 0 { d(5) } else { d(2) };
    let pad = if kind == 2 {
        f64::NEG_INFINITY
    } else {
        [0.0, 0.0, 1.5][rng.random_range(0..3)]
    };
    let image = Access::padded(0, arrange(at(0, 3, ph), at(1, 4, pw), channel), pad);
    let mut iters = vec![Iter::parallel(oh), Iter::parallel(ow), Iter::parallel(co)];
    iters.extend([Iter::reduction(kh), Iter::reduction(kw)]);
    let mut body = BodyBuilder::new([ElementType::F32, ElementType::F32]);
    let mut reads = vec![image];
    let weights = match kind {
        0 => {
            iters.push(Iter::reduction(ci));
            reads.push(Access::new(1, vec![d(3), d(4), d(5), d(2)]));
            vec![kh, kw, ci, co]
        }
        1 => {
            reads.push(Access::new(1, vec![d(3), d(4), d(2)]));
            vec![kh, kw, co]
        }
        _ => vec![co],
    };
    let function = if kind == 2 {
        CombineFn::Max
    } else {
        CombineFn::Add
    };
    let body = if kind < 2 {
        let product = body.binary(BinaryFn::Mul, 0, 1);
        body.finish(vec![product])
    } else {
        Body::identity([ElementType::F32])
    };
    let mut finish = BodyBuilder::new(vec![ElementType::F32; 3]);
    let sum = finish.binary(BinaryFn::Add, 0, 1);
    let sum = finish.binary(BinaryFn::Add, sum, 2);
    let zero = finish.constant(ElementType::F32, 0.0);
    let relu = finish.binary(BinaryFn::Max, sum, zero);
    let result = arrange(d(0), d(1), d(2));
    let shape = |y, x, c| if last { vec![y, x, c] } else { vec![c, y, x] };
    let init = if kind == 2 { f64::NEG_INFINITY } else { 0.0 };
    Kernel {
        name: "window".into(),
        slots: vec![
            Slot::new(TensorType::f32(shape(h, w, channels)), Role::Input),
            Slot::new(TensorType::f32(weights), Role::Constant),
            Slot::new(TensorType::f32([co]), Role::Constant),
            Slot::new(TensorType::f32(shape(oh, ow, co)), Role::Input),
            Slot::new(TensorType::f32(shape(oh, ow, co)), Role::Output),
            Slot::new(TensorType::f32(shape(oh, ow, co)), Role::Output),
        ],
        stages: vec![Nest {
            iters,
            reads,
            body,
            combines: vec![Combine {
                function,
                init: FloatBits::new(init),
            }],
            finish_reads: vec![Access::new(2, vec![d(2)]), Access::new(3, result.clone())],
            finish: finish.finish(vec![relu, 0]),
            writes: vec![Access::new(4, result.clone()), Access::new(5, result)],
            contract: kind < 2,
            origins: vec!["window".into()],
        }],
        schedule: None,
    }
}

fn random_tensors(kernel: &Kernel, rng: &mut SmallRng) -> Vec<Tensor> {
    kernel
        .arguments()
        .map(|s| {
            let ty = kernel.slots[s].ty.clone();
            let values: Vec<f64> = (0..ty.elements())
                .map(|_| {
                    let v: f64 = rng.random_range(-2.0..2.0);
                    if ty.element.is_float() {
                        v
                    } else {
                        (v * 3.0).trunc()
                    }
                })
                .collect();
            Tensor::from_f64s(ty, &values)
        })
        .collect()
}

fn windows(seeds: std::ops::Range<u64>) -> Vec<(Kernel, Vec<Tensor>)> {
    seeds
        .map(|seed| {
            let mut rng = SmallRng::seed_from_u64(seed);
            let kernel = window_kernel(&mut rng);
            let inputs = random_tensors(&kernel, &mut rng);
            (scheduled(kernel, &mut rng), inputs)
        })
        .collect()
}

/// Every element of a row twice, side by side.
fn doubled_kernel(rng: &mut SmallRng) -> Kernel {
    use ElementType::{F16, F32, F64, I8, I32, I64};
    let element = [F32, F64, F16, I64, I32, I8][rng.random_range(0..6)];
    let (rows, columns) = (rng.random_range(1..5), rng.random_range(1..70));
    let iters = vec![
        Iter::parallel(rows),
        Iter::parallel(columns),
        Iter::parallel(2),
    ];
    let nest = Nest::map(
        iters,
        vec![Access::new(0, vec![d(0), d(1)])],
        Body::identity([element]),
        vec![Access::new(1, vec![d(0), d(1) * 2 + d(2)])],
    );
    Kernel {
        name: "k".into(),
        slots: vec![
            Slot::new(TensorType::new(element, [rows, columns]), Role::Input),
            Slot::new(TensorType::new(element, [rows, 2 * columns]), Role::Output),
        ],
        stages: vec![nest],
        schedule: None,
    }
}

#[test]
fn every_other_element_is_written() {
    let made = |seed| {
        let mut rng = SmallRng::seed_from_u64(seed);
        let kernel = doubled_kernel(&mut rng);
        let inputs = random_tensors(&kernel, &mut rng);
        (scheduled(kernel, &mut rng), inputs)
    };
    check(&(0..80).map(made).collect::<Vec<_>>(), &Target::host());
    check(&(80..120).map(made).collect::<Vec<_>>(), &avx2());
}

#[test]
fn windows_with_padding_stride_and_dilation() {
    check(&windows(0..100), &Target::host());
}

#[test]
fn windows_for_avx2() {
    check(&windows(1000..1025), &avx2());
}

fn avx2() -> Target {
    Target {
        cpu: "haswell".into(),
        features: String::new(),
        ..Target::host()
    }
}

/// A pointwise nest on one element type with slices, broadcasts, blocks and integer arithmetic.
fn pointwise_kernel(rng: &mut SmallRng) -> Kernel {
    use ElementType::{Bf16, Bool, F16, F32, F64, I8, I32, I64, U8};
    let element = [F32, F64, F16, Bf16, I64, I32, I8, U8, Bool][rng.random_range(0..9)];
    let (a, b) = (rng.random_range(1..9), rng.random_range(1..40));
    let block = rng.random_range(1..9);
    let step = rng.random_range(1..4);
    let flip = rng.random_bool(0.3);
    let along = if flip {
        d(1) * -1 + Affine::Const(b - 1)
    } else {
        d(1) * step
    };
    let reads = vec![
        Access::new(0, vec![d(0), along]),
        Access::new(1, vec![d(1)]),
        Access::new(2, vec![d(1).floor_div(block), d(0), d(1).modulo(block)]),
        Access::padded(3, vec![d(1) + Affine::Const(-3), d(0)], 1.0),
    ];
    let mut body = BodyBuilder::new(vec![element; 4]);
    let functions = [
        BinaryFn::Add,
        BinaryFn::Sub,
        BinaryFn::Mul,
        BinaryFn::Max,
        BinaryFn::Min,
        BinaryFn::Div,
    ];
    let mut pick = || functions[rng.random_range(0..functions.len())];
    let x = body.binary(pick(), 0, 1);
    let y = body.binary(pick(), 2, 3);
    let z = body.binary(pick(), x, y);
    let less = body.compare(CompareFn::Lt, x, y);
    let z = body.select(less, z, 0);
    let position = body.index(1);
    let position = body.cast(F32, position);
    let wide = body.cast(F32, z);
    let sum = body.binary(BinaryFn::Add, wide, position);
    let negative = body.unary(UnaryFn::Neg, sum);
    let whole = [d(0), d(1)].to_vec();
    let writes = vec![
        Access::new(4, whole.clone()),
        Access::new(5, vec![d(1) + Affine::Const(2), d(0)]),
        Access::new(6, whole),
    ];
    let body = body.finish(vec![z, negative, less]);
    let slot = |element, shape: &[i64], role| Slot::new(TensorType::new(element, shape), role);
    Kernel {
        name: "pointwise".into(),
        slots: vec![
            slot(element, &[a, b * step], Role::Input),
            slot(element, &[b], Role::Constant),
            slot(element, &[(b + block - 1) / block, a, block], Role::Input),
            slot(element, &[(b - 4).max(1), a], Role::Input),
            slot(element, &[a, b], Role::Output),
            slot(F32, &[b + 2, a], Role::Output),
            slot(Bool, &[a, b], Role::Output),
        ],
        stages: vec![Nest::map(
            vec![Iter::parallel(a), Iter::parallel(b)],
            reads,
            body,
            writes,
        )],
        schedule: None,
    }
}

#[test]
fn pointwise_of_every_element_type() {
    check(&pointwise(0..100), &Target::host());
}

#[test]
fn pointwise_for_avx2() {
    check(&pointwise(1000..1040), &avx2());
}

fn pointwise(seeds: std::ops::Range<u64>) -> Vec<(Kernel, Vec<Tensor>)> {
    seeds
        .map(|seed| {
            let mut rng = SmallRng::seed_from_u64(seed);
            let kernel = pointwise_kernel(&mut rng);
            let inputs = random_tensors(&kernel, &mut rng);
            (scheduled(kernel, &mut rng), inputs)
        })
        .collect()
}

/// Sum, maximum and product of rows and columns, of several element types, with other start values.
fn reduction_kernel(rng: &mut SmallRng) -> Kernel {
    use ElementType::{F32, I32, I64, U8};
    let element = [F32, F32, I64, I32, U8][rng.random_range(0..5)];
    let (a, b, c) = (
        rng.random_range(1..6),
        rng.random_range(1..70),
        rng.random_range(1..6),
    );
    let kinds = [Iter::parallel(a), Iter::reduction(b), Iter::reduction(c)];
    let mut body = BodyBuilder::new([element]);
    let double = body.binary(BinaryFn::Add, 0, 0);
    let mut finish = BodyBuilder::new(vec![element; 2]);
    let both = finish.binary(BinaryFn::Add, 0, 1);
    let function = [CombineFn::Max, CombineFn::Min][rng.random_range(0..2)];
    let combine = |function, init| Combine {
        function,
        init: FloatBits::new(init),
    };
    Kernel {
        name: "reduction".into(),
        slots: vec![
            Slot::new(TensorType::new(element, [b, a, c]), Role::Input),
            Slot::new(TensorType::new(element, [a]), Role::Output),
            Slot::new(TensorType::new(element, [a]), Role::Output),
        ],
        stages: vec![Nest {
            iters: kinds.to_vec(),
            reads: vec![Access::new(0, vec![d(1), d(0), d(2)])],
            body: body.finish(vec![0, double]),
            combines: vec![combine(CombineFn::Add, 3.0), combine(function, 1.0)],
            finish_reads: vec![],
            finish: finish.finish(vec![both, 1]),
            writes: vec![Access::new(1, vec![d(0)]), Access::new(2, vec![d(0)])],
            contract: false,
            origins: vec![],
        }],
        schedule: None,
    }
}

#[test]
fn reductions_across_lanes() {
    let kernels: Vec<_> = (0..75)
        .map(|seed| {
            let mut rng = SmallRng::seed_from_u64(seed);
            let kernel = reduction_kernel(&mut rng);
            let inputs = random_tensors(&kernel, &mut rng);
            (scheduled(kernel, &mut rng), inputs)
        })
        .collect();
    check(&kernels, &Target::host());
}

/// A gather along any dimension of a table, of one index per point of some others, with what a following operator
/// does as its finish.
fn gather_kernel(rng: &mut SmallRng) -> Kernel {
    let table: Vec<i64> = (0..3).map(|_| rng.random_range(1..20)).collect();
    let along = rng.random_range(0..3);
    let mut iters: Vec<Iter> = table.iter().map(|&e| Iter::parallel(e)).collect();
    // The index may differ along the other dimensions (as in GatherElements) or along one of its own.
    let own = rng.random_bool(0.5);
    let indexed: Vec<usize> = match own {
        true => vec![along],
        false => (0..3).filter(|_| rng.random_bool(0.6)).collect(),
    };
    if own {
        iters[along] = Iter::parallel(rng.random_range(1..30));
    }
    let shape: Vec<i64> = iters.iter().map(|i| i.extent).collect();
    iters.push(Iter::reduction(table[along]));
    let indices: Vec<i64> = indexed.iter().map(|&i| shape[i]).collect();
    let mut b = BodyBuilder::new([ElementType::F32, ElementType::I32]);
    let index = b.cast(ElementType::I64, 1);
    let position = b.index(3);
    let asked = match rng.random_bool(0.5) {
        true => b.compare(CompareFn::Eq, position, index),
        false => b.compare(CompareFn::Eq, index, position),
    };
    let nothing = b.constant(ElementType::F32, 0.0);
    let value = b.unary(UnaryFn::Neg, 0);
    let value = b.select(asked, value, nothing);
    let mut read: Vec<Affine> = (0..3).map(d).collect();
    read[along] = d(3);
    let mut nest = Nest::map(
        iters,
        vec![
            Access::new(0, read),
            Access::new(1, indexed.iter().map(|&i| d(i)).collect()),
        ],
        b.finish(vec![value]),
        vec![Access::new(2, (0..3).map(d).collect())],
    );
    nest.combines = vec![Combine {
        function: CombineFn::Add,
        init: FloatBits::new(0.0),
    }];
    let mut finish = BodyBuilder::new([ElementType::F32]);
    let doubled = finish.binary(BinaryFn::Add, 0, 0);
    nest.finish = finish.finish(vec![doubled]);
    Kernel {
        name: "gather".into(),
        slots: vec![
            Slot::new(TensorType::f32(table), Role::Input),
            Slot::new(TensorType::new(ElementType::I32, indices), Role::Input),
            Slot::new(TensorType::f32(shape), Role::Output),
        ],
        stages: vec![nest],
        schedule: None,
    }
}

#[test]
fn gathers_by_indices_in_and_out_of_range() {
    let device = Device::load("host")
        .expect("the host's file")
        .with_host_cpu(HostCpu::detect());
    let mut kernels = Vec::new();
    for seed in 0..100 {
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut kernel = gather_kernel(&mut rng);
        kernel.name = format!("gather{seed}");
        let mut inputs = random_tensors(&kernel, &mut rng);
        let indices = &kernel.slots[1].ty;
        let values: Vec<i64> = (0..indices.elements())
            .map(|_| rng.random_range(-3..23))
            .collect();
        inputs[1] = Tensor::from_i64s(indices.clone(), &values);
        kernel = match seed % 2 {
            0 => scheduled(kernel, &mut rng),
            _ => {
                let chosen = schedule(&kernel, &device).expect("a schedule").0;
                Kernel {
                    schedule: Some(chosen),
                    ..kernel
                }
            }
        };
        kernels.push((kernel, inputs));
    }
    check(&kernels, &Target::host());
}

/// A value in another order of its dimensions, shifted so that its padding is read, plus one in the same order.
fn transposing_kernel(rng: &mut SmallRng) -> Kernel {
    use ElementType::{F32, I64, U8};
    let element = [F32, F32, I64, U8][rng.random_range(0..4)];
    let shape: Vec<i64> = (0..3).map(|_| rng.random_range(1..45)).collect();
    let mut order = [0, 1, 2];
    order.shuffle(rng);
    let from: Vec<i64> = order.iter().map(|&i| shape[i]).collect();
    let shift = rng.random_range(-2..3);
    let index = order.map(|i| if i == 2 { d(i) + shift } else { d(i) });
    let turned = match shift {
        0 => Access::new(0, index.to_vec()),
        _ => Access::padded(0, index.to_vec(), 3.0),
    };
    let mut b = BodyBuilder::new([element; 2]);
    let y = b.binary(BinaryFn::Add, 0, 1);
    let nest = Nest::map(
        shape.iter().map(|&e| Iter::parallel(e)).collect(),
        vec![turned, Access::new(1, vec![d(1), d(2)])],
        b.finish(vec![y]),
        vec![Access::new(2, (0..3).map(d).collect())],
    );
    Kernel {
        name: "transpose".into(),
        slots: vec![
            Slot::new(TensorType::new(element, from), Role::Input),
            Slot::new(TensorType::new(element, shape[1..].to_vec()), Role::Input),
            Slot::new(TensorType::new(element, shape), Role::Output),
        ],
        stages: vec![nest],
        schedule: None,
    }
}

#[test]
fn transposes_in_registers() {
    let device = Device::load("host")
        .expect("the host's file")
        .with_host_cpu(HostCpu::detect());
    let mut turned = 0;
    let mut kernels = Vec::new();
    for seed in 0..100 {
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut kernel = transposing_kernel(&mut rng);
        kernel.name = format!("transpose{seed}");
        kernel.verify().unwrap_or_else(|e| panic!("{e}\n{kernel}"));
        let chosen = schedule(&kernel, &device).expect("a schedule").0;
        turned += usize::from(chosen.stages[0].rows.is_some());
        kernel.schedule = Some(chosen);
        let inputs = random_tensors(&kernel, &mut rng);
        kernels.push((kernel, inputs));
    }
    assert!(turned > 20, "only {turned} of 100 are turned");
    check(&kernels, &Target::host());
}
