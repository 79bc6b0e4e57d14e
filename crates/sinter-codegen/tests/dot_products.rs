//! Contractions of bytes and of `bf16` as the device packs and schedules them, with dot products and without, against
//! the interpreter: the same numbers, of `bf16` where no sum is rounded.

mod common;

use common::library;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use sinter_codegen::Target;
use sinter_device::{Device, HostCpu, pack_constants, schedule};
use sinter_loops::affine::Affine;
use sinter_loops::dot_products::DotKind;
use sinter_loops::interp;
use sinter_loops::kernel::{Kernel, PhysicalDim, Role, Slot};
use sinter_loops::nest::{Access, Combine, CombineFn, Iter, Nest};
use sinter_loops::scalar::{BinaryFn, Body, BodyBuilder, FloatBits};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::ElementType::{self, Bf16, F32, I8, U8};
use sinter_loops::types::TensorType;
use sinter_loops::{apply_layouts, coalesce, place_stages};

fn d(i: usize) -> Affine {
    Affine::Iter(i)
}

/// Element types of both factors.
fn factors(kind: DotKind) -> [ElementType; 2] {
    match kind {
        DotKind::Bytes => [U8, I8],
        DotKind::Bf16 => [Bf16, Bf16],
    }
}

/// Sums of products of slot 0 and slot 1 plus slot 2, written to slot 3; the extents of each.
fn contraction(
    kind: DotKind,
    iters: Vec<Iter>,
    [left, right, bias, out]: [Vec<Affine>; 4],
    shapes: [&[i64]; 4],
    padded: bool,
) -> Kernel {
    let [x, y] = factors(kind);
    let elements = [x, y, kind.sum(), kind.sum()];
    let types = elements
        .iter()
        .zip(shapes)
        .map(|(e, s)| TensorType::new(*e, s));
    let mut body = BodyBuilder::new([x, y]);
    let (a, b) = (body.cast(kind.sum(), 0), body.cast(kind.sum(), 1));
    let product = body.binary(BinaryFn::Mul, a, b);
    let mut finish = BodyBuilder::new([kind.sum(), kind.sum()]);
    let sum = finish.binary(BinaryFn::Add, 0, 1);
    let mut left = Access::new(0, left);
    left.pad = padded.then(|| FloatBits::new(0.0));
    let nest = Nest {
        reads: vec![left, Access::new(1, right)],
        body: body.finish(vec![product]),
        combines: vec![Combine {
            function: CombineFn::Add,
            init: FloatBits::new(0.0),
        }],
        finish_reads: vec![Access::new(2, bias)],
        finish: finish.finish(vec![sum]),
        contract: true,
        ..Nest::map(iters, vec![], Body::default(), vec![Access::new(3, out)])
    };
    let roles = [Role::Input, Role::Constant, Role::Constant, Role::Output];
    let slots = types.zip(roles).map(|(ty, r)| Slot::new(ty, r));
    Kernel {
        name: "k".into(),
        slots: slots.collect(),
        stages: vec![nest],
        schedule: None,
    }
}

fn matmul(kind: DotKind, rng: &mut SmallRng) -> Kernel {
    let pick = |rng: &mut SmallRng, of: &[i64]| of[rng.random_range(0..of.len())];
    let m = pick(rng, &[1, 2, 3, 7, 17, 40]);
    let k = pick(rng, &[1, 2, 3, 4, 5, 7, 8, 15, 16, 33, 64, 70, 129]);
    let n = pick(rng, &[1, 3, 4, 7, 8, 15, 16, 17, 31, 33, 48, 64, 100]);
    let iters = vec![Iter::parallel(m), Iter::parallel(n), Iter::reduction(k)];
    let places = [
        vec![d(0), d(2)],
        vec![d(2), d(1)],
        vec![d(1)],
        vec![d(0), d(1)],
    ];
    let shapes: [&[i64]; 4] = [&[m, k], &[k, n], &[n], &[m, n]];
    contraction(kind, iters, places, shapes, false)
}

/// Images with channels last, perhaps padded.
fn convolution(kind: DotKind, rng: &mut SmallRng) -> Kernel {
    let pick = |rng: &mut SmallRng, of: &[i64]| of[rng.random_range(0..of.len())];
    let (h, w, taps) = (
        rng.random_range(3..7),
        rng.random_range(3..17),
        rng.random_range(1..4),
    );
    let (stride, pad) = (rng.random_range(1..3), rng.random_range(0..taps));
    let ci = pick(rng, &[1, 3, 4, 5, 8, 12, 32]);
    let co = pick(rng, &[1, 5, 8, 16, 24, 33, 64]);
    let out = |extent: i64| (extent + 2 * pad - taps) / stride + 1;
    let iters = vec![
        Iter::parallel(co),
        Iter::parallel(out(h)),
        Iter::parallel(out(w)),
        Iter::reduction(taps),
        Iter::reduction(taps),
        Iter::reduction(ci),
    ];
    let at = |o: usize, t: usize| d(o) * stride + d(t) + Affine::Const(-pad);
    let places = [
        vec![at(1, 3), at(2, 4), d(5)],
        vec![d(0), d(5), d(3), d(4)],
        vec![d(0)],
        vec![d(1), d(2), d(0)],
    ];
    let shapes: [&[i64]; 4] = [
        &[h, w, ci],
        &[co, ci, taps, taps],
        &[co],
        &[out(h), out(w), co],
    ];
    contraction(kind, iters, places, shapes, pad > 0)
}

fn bytes(rng: &mut SmallRng, ty: &TensorType) -> Tensor {
    let values: Vec<i64> = (0..ty.elements())
        .map(|_| match rng.random_range(0..4) {
            // Ends of the range, whose sums of four would saturate 16 bits.
            0 => [127, -128, 255, 0][rng.random_range(0..4)],
            _ => rng.random_range(-128..256),
        })
        .collect();
    Tensor::from_i64s(ty.clone(), &values)
}

/// Whole numbers whose sums `f32` holds exactly. Of left factors some are infinite: they may meet no zero of a packed
/// weight.
fn halves(rng: &mut SmallRng, ty: &TensorType, left: bool) -> Tensor {
    let values: Vec<f64> = (0..ty.elements())
        .map(|_| match rng.random_range(0..200) {
            0 if left => f64::INFINITY,
            _ => f64::from(rng.random_range(1..128_i32) * [-1, 1][rng.random_range(0..2)]),
        })
        .collect();
    Tensor::from_f64s(ty.clone(), &values)
}

/// How many kernels of 120 had weights in groups.
fn check(kind: DotKind, cpu: HostCpu, target: &Target, seed: u64) -> usize {
    let device = Device::named("host").unwrap().with_host_cpu(cpu);
    let mut rng = SmallRng::seed_from_u64(seed);
    let (mut kernels, mut cases, mut grouped) = (Vec::new(), Vec::new(), 0);
    for n in 0..120 {
        let logical = if n % 2 == 0 {
            matmul(kind, &mut rng)
        } else {
            convolution(kind, &mut rng)
        };
        logical
            .verify()
            .unwrap_or_else(|e| panic!("{e}\n{logical}"));
        let slots = logical.slots[..3].iter().enumerate();
        let given = slots.map(|(n, slot)| match kind {
            DotKind::Bytes => bytes(&mut rng, &slot.ty),
            DotKind::Bf16 => halves(&mut rng, &slot.ty, n == 0),
        });
        let given: Vec<_> = given.collect();
        let expected = interp::run(&logical, &given);
        let mut kernel = logical.clone();
        pack_constants(&mut kernel, &device);
        let layouts: Vec<_> = kernel.slots.iter().map(|s| s.layout.clone()).collect();
        let inner = |d: &&PhysicalDim| matches!(d, PhysicalDim::Inner(..));
        let weights = layouts[1].as_ref();
        let blocked = weights.map_or(0, |l| l.dims.iter().filter(inner).count());
        grouped += usize::from(blocked == 2);
        let kernel = coalesce(place_stages(apply_layouts(kernel).unwrap()).unwrap());
        let packed = given.iter().zip(&kernel.slots).zip(&layouts);
        let packed = packed.map(|((tensor, slot), layout)| match layout {
            Some(layout) => layout.pack(tensor).reshaped(slot.ty.shape.clone()),
            None => tensor.reshaped(slot.ty.shape.clone()),
        });
        cases.push((packed.collect::<Vec<_>>(), expected));
        let mut kernel = kernel;
        kernel.schedule = Some(schedule(&kernel, &device).expect("a schedule").0);
        kernels.push(kernel);
    }
    let library = library(&kernels, target);
    for (n, (inputs, expected)) in cases.iter().enumerate() {
        let found = library.run(n, inputs);
        let pairs = found[0].to_f64s().into_iter().zip(expected[0].to_f64s());
        for (at, (found, expected)) in pairs.enumerate() {
            let same = found == expected || found.is_nan() && expected.is_nan();
            let kernel = &kernels[n];
            assert!(
                same,
                "kernel {n}, [{at}]: {found}, not {expected}\n{kernel}"
            );
        }
    }
    grouped
}

#[test]
fn with_dot_products() {
    let target = Target::host();
    let cases = [
        (DotKind::Bytes, HostCpu::AVX512_VNNI),
        (DotKind::Bytes, HostCpu::AVX_VNNI),
        (DotKind::Bf16, HostCpu::AVX512_BF16),
    ];
    for (kind, cpu) in cases {
        if target.dots().has(kind) {
            assert!(check(kind, cpu, &target, 1) > 80);
        } else {
            println!("skipped: this CPU has no dot products of {}", kind.name());
        }
    }
}

#[test]
fn without_dot_products() {
    let host = Target::host();
    let target = Target {
        features: format!("{},-avx512vnni,-avxvnni,-avx512bf16", host.features),
        ..host
    };
    for (kind, packed_for) in [
        (DotKind::Bytes, HostCpu::AVX512_VNNI),
        (DotKind::Bf16, HostCpu::AVX512_BF16),
    ] {
        assert!(!target.dots().has(kind));
        assert_eq!(check(kind, HostCpu::AVX2, &target, 2), 0);
        // Packed for dot products, but compiled without.
        check(kind, packed_for, &target, 3);
    }
}

/// Where sums are in ascending order, no two products of `bf16` are added at once; sums of bytes are the same in
/// every order.
#[test]
fn fixed_reductions_have_no_dot_products_of_halves() {
    let device = Device::named("host").unwrap();
    let device = device.with_host_cpu(HostCpu::AVX512_BF16);
    assert!(device.dots().bytes && device.dots().bf16);
    let device = device.with_fixed_reductions(true);
    assert!(device.dots().bytes && !device.dots().bf16);
}

/// Of a vector of bytes that is stored for one lane, nothing beside it is.
#[test]
fn one_byte_of_a_vector() {
    let [rows, columns] = [32, 17];
    let mut body = BodyBuilder::new([F32]);
    let byte = body.cast(I8, 0);
    let nest = Nest::map(
        vec![Iter::parallel(rows), Iter::parallel(columns)],
        vec![Access::new(0, vec![d(1), d(0)])],
        body.finish(vec![byte]),
        vec![Access::new(1, vec![d(0), d(1)])],
    );
    let mut kernel = Kernel {
        name: "k".into(),
        slots: vec![
            Slot::new(TensorType::f32([columns, rows]), Role::Input),
            Slot::new(TensorType::new(I8, [rows, columns]), Role::Output),
        ],
        stages: vec![nest],
        schedule: None,
    };
    let values: Vec<f32> = (0..rows * columns).map(|n| (n % 101) as f32).collect();
    let x = Tensor::from_f32([columns, rows], &values);
    let expected = interp::run(&kernel, std::slice::from_ref(&x));
    for cpu in [HostCpu::AVX2, HostCpu::AVX512] {
        let device = Device::named("host").unwrap().with_host_cpu(cpu);
        kernel.schedule = Some(schedule(&kernel, &device).expect("a schedule").0);
        let found = library(&[kernel.clone()], &Target::host()).run(0, std::slice::from_ref(&x));
        assert_eq!(found[0].bytes(), expected[0].bytes());
    }
}
