//! Schedules and prices of hand-made kernels.

use sinter_device::{
    Device, HostCpu, Need, Price, Refusal, Time, pack_constants, price_of, schedule,
};
use sinter_loops::affine::Affine;
use sinter_loops::kernel::{Kernel, Layout, PhysicalDim, Role, Schedule, Slot};
use sinter_loops::nest::{Access, Combine, CombineFn, Iter, Nest};
use sinter_loops::scalar::{BinaryFn, Body, FloatBits, Inst, UnaryFn};
use sinter_loops::types::ElementType::F32;
use sinter_loops::types::TensorType;

fn d(i: usize) -> Affine {
    Affine::Iter(i)
}

fn body(args: usize, inst: Inst) -> Body {
    Body {
        args: vec![F32; args],
        insts: vec![inst],
        results: vec![args],
    }
}

fn host(cpu: HostCpu) -> Device {
    Device::named("host").unwrap().with_host_cpu(cpu)
}

/// A pointwise kernel over a matrix, stored as it is.
fn pointwise(rows: i64, columns: i64, function: UnaryFn) -> Kernel {
    let ty = TensorType::f32([rows, columns]);
    let nest = Nest::map(
        vec![Iter::parallel(rows), Iter::parallel(columns)],
        vec![Access::new(0, vec![d(0), d(1)])],
        body(1, Inst::Unary(function, 0)),
        vec![Access::new(1, vec![d(0), d(1)])],
    );
    Kernel {
        name: "k".into(),
        slots: vec![
            Slot::new(ty.clone(), Role::Input),
            Slot::new(ty, Role::Output),
        ],
        stages: vec![nest],
        schedule: None,
    }
}

/// A 3x3 convolution, channels last, with weights in logical shape `[co, ci, 3, 3]`.
fn convolution(size: i64, ci: i64, co: i64) -> Kernel {
    let iters = vec![
        Iter::parallel(co),
        Iter::parallel(size),
        Iter::parallel(size),
        Iter::reduction(3),
        Iter::reduction(3),
        Iter::reduction(ci),
    ];
    let at = |a, b| d(a) + d(b) - Affine::Const(1);
    let nest = Nest {
        iters,
        reads: vec![
            Access::padded(0, vec![at(1, 3), at(2, 4), d(5)], 0.0),
            Access::new(1, vec![d(0), d(5), d(3), d(4)]),
        ],
        body: body(2, Inst::Binary(BinaryFn::Mul, 0, 1)),
        combines: vec![Combine {
            function: CombineFn::Add,
            init: FloatBits::new(0.0),
        }],
        finish_reads: vec![],
        finish: Body {
            args: vec![F32],
            insts: vec![],
            results: vec![0],
        },
        writes: vec![Access::new(2, vec![d(1), d(2), d(0)])],
        contract: true,
        origins: vec![],
    };
    Kernel {
        name: "conv".into(),
        slots: vec![
            Slot::new(TensorType::f32([size, size, ci]), Role::Input),
            Slot::new(TensorType::f32([co, ci, 3, 3]), Role::Constant),
            Slot::new(TensorType::f32([size, size, co]), Role::Output),
        ],
        stages: vec![nest],
        schedule: None,
    }
}

/// The same with its weights in panels of `panel` channels, the layout applied.
fn packed(size: i64, ci: i64, co: i64, panel: i64) -> Kernel {
    let mut kernel = convolution(size, ci, co);
    kernel.slots[1].ty = TensorType::f32([(co + panel - 1) / panel, 3, 3, ci, panel]);
    kernel.stages[0].reads[1].index =
        vec![d(0).floor_div(panel), d(3), d(4), d(5), d(0).modulo(panel)];
    kernel
}

fn run(kernel: &Kernel, device: &Device) -> (Schedule, Price) {
    schedule(kernel, device).unwrap()
}

#[test]
fn pointwise_vectors_lie_along_the_contiguous_axis() {
    let (s, price) = run(&pointwise(512, 512, UnaryFn::Exp), &host(HostCpu::AVX2));
    assert_eq!(s.stages[0].vector, Some(1));
    assert_eq!(s.stages[0].lanes, 8);
    assert_eq!((price.read_bytes, price.written_bytes), (1 << 20, 1 << 20));
    assert_eq!(price.total, price.launch + price.vector.max(price.memory));
}

#[test]
fn big_transposes_are_read_as_they_lie() {
    let turned = |size: i64| {
        let mut kernel = pointwise(size, size, UnaryFn::Abs);
        kernel.stages[0].reads[0].index = vec![d(1), d(0)];
        run(&kernel, &host(HostCpu::AVX512)).0.stages[0].clone()
    };
    let (small, big) = (turned(512), turned(4096));
    assert_eq!((small.rows, small.vector), (Some(0), Some(1)));
    assert_eq!(small.order, [0, 1]);
    assert_eq!((big.rows, big.vector), (Some(0), Some(1)));
    assert_eq!(big.order, [1, 0], "rows of the operand, innermost");
}

#[test]
fn what_is_stored_over_its_operand_costs_less_than_what_is_not() {
    let plain = pointwise(1024, 1024, UnaryFn::Neg);
    let mut moved = pointwise(1024, 1024, UnaryFn::Neg);
    // The next row: the planner cannot give both one buffer.
    moved.stages[0].reads[0] = Access::padded(0, vec![d(0) + Affine::Const(1), d(1)], 0.0);
    let memory = |kernel: &Kernel| run(kernel, &host(HostCpu::AVX2)).1.memory.ns();
    let ratio = memory(&moved) / memory(&plain);
    assert!(
        (1.4..1.6).contains(&ratio),
        "two lines moved instead of three: {ratio}"
    );
}

#[test]
fn weights_are_packed_in_panels_of_the_register_tile() {
    for (cpu, lanes) in [(HostCpu::AVX2, 8), (HostCpu::AVX512, 16)] {
        let device = host(cpu);
        let mut kernel = convolution(56, 64, 96);
        pack_constants(&mut kernel, &device);
        let layout = kernel.slots[1].layout.clone().unwrap();
        let panel = match layout.dims.as_slice() {
            [
                PhysicalDim::Outer(0, outer),
                PhysicalDim::Whole(2),
                PhysicalDim::Whole(3),
                PhysicalDim::Whole(1),
                PhysicalDim::Inner(0, inner),
            ] if outer == inner => *outer,
            dims => panic!("{dims:?}"),
        };
        assert_eq!(panel % lanes, 0);
        let (s, _) = run(&packed(56, 64, 96, panel), &device);
        let stage = &s.stages[0];
        assert_eq!(stage.vector, Some(0));
        assert_eq!(
            stage.vectors * stage.lanes,
            panel,
            "the schedule uses the whole panel"
        );
        assert_eq!(stage.rows, Some(2));
        let used = stage.row_tile * stage.vectors + stage.vectors + 1;
        assert!(used <= device.vector_registers(), "{used} registers");
        assert!(
            stage.row_tile * stage.vectors >= 8,
            "accumulators hide the latency"
        );
    }
}

/// A depthwise 3x3 convolution, channels last.
fn depthwise(size: i64, channels: i64, step: i64) -> Kernel {
    let mut kernel = convolution(size, 1, 1);
    let at = |a, b| d(a) * step + d(b) - Affine::Const(1);
    let nest = &mut kernel.stages[0];
    nest.iters = vec![
        Iter::parallel(size),
        Iter::parallel(size),
        Iter::parallel(channels),
        Iter::reduction(3),
        Iter::reduction(3),
    ];
    nest.reads = vec![
        Access::padded(0, vec![at(0, 3), at(1, 4), d(2)], 0.0),
        Access::new(1, vec![d(3), d(4), d(2)]),
    ];
    nest.writes = vec![Access::new(2, vec![d(0), d(1), d(2)])];
    let shapes = [
        [size * step, size * step, channels],
        [3, 3, channels],
        [size, size, channels],
    ];
    let roles = [Role::Input, Role::Constant, Role::Output];
    let slot = |(shape, role)| Slot::new(TensorType::f32(shape), role);
    kernel.slots = shapes.into_iter().zip(roles).map(slot).collect();
    kernel
}

#[test]
fn rows_of_an_image_are_jammed_where_they_would_be_read_again() {
    let device = host(HostCpu::AVX512);
    for (size, channels, step) in [(56, 144, 1), (14, 384, 1), (28, 192, 2), (7, 960, 1)] {
        let (s, _) = run(&depthwise(size, channels, step), &device);
        let stage = &s.stages[0];
        assert_eq!((stage.vector, stage.rows), (Some(2), Some(1)), "{stage:?}");
        let jam = stage.jam.expect("several rows of the image");
        assert_eq!(jam.iter, 0);
        let points = jam.tile * stage.row_tile * stage.vectors;
        assert!((8..=14).contains(&points), "{stage:?}");
    }
    // Rows that the first-level cache holds, and weights for every pixel of a whole product, leave it.
    let small = run(&depthwise(14, 16, 1), &device).0;
    assert_eq!(small.stages[0].jam, None);
    let product = run(&packed(56, 64, 96, 48), &device).0;
    assert_eq!(product.stages[0].jam, None);
}

#[test]
fn products_along_rows_hold_rows_of_both_operands() {
    let mut kernel = convolution(1, 1, 1);
    let size = 512;
    let nest = &mut kernel.stages[0];
    nest.iters = vec![
        Iter::parallel(size),
        Iter::parallel(size),
        Iter::reduction(size),
    ];
    nest.reads = vec![
        Access::new(0, vec![d(0), d(2)]),
        Access::new(1, vec![d(1), d(2)]),
    ];
    nest.writes = vec![Access::new(2, vec![d(0), d(1)])];
    let slot = |role| Slot::new(TensorType::f32([size, size]), role);
    kernel.slots = [Role::Input, Role::Input, Role::Output].map(slot).into();
    let device = host(HostCpu::AVX512);
    let stage = run(&kernel, &device).0.stages[0].clone();
    let jam = stage.jam.expect("rows of both");
    assert_eq!((stage.vector, stage.rows, jam.iter), (Some(2), Some(1), 0));
    let held = stage.row_tile * jam.tile + stage.row_tile + 1;
    assert!(
        (16..=device.vector_registers()).contains(&held),
        "{stage:?}"
    );
}

#[test]
fn a_convolution_is_priced_near_the_peak() {
    let device = host(HostCpu::AVX2);
    let kernel = packed(56, 64, 96, 24);
    let (s, price) = run(&kernel, &device.clone().with_cores(1));
    let flops = 2.0 * kernel.stages[0].points() as f64;
    let peak = Time::of_operations(flops, device.vector.fma_gflops);
    assert!(price.vector >= peak);
    assert!(price.vector.ns() < peak.ns() / 0.8, "{s:?} {price:?}");
}

/// 24 channels fill two vectors of 16, together or in blocks of 16 and 8.
#[test]
fn the_last_block_costs_the_vectors_that_it_fills() {
    let mut device = host(HostCpu::AVX512);
    device.cores = 1;
    let kernel = packed(32, 64, 24, 32);
    let (mut schedule, whole) = run(&kernel, &device);
    assert_eq!(schedule.stages[0].vector, Some(0));
    let channels = schedule.grid.iter_mut().find(|a| a.iters == [Some(0)]);
    let channels = channels.unwrap();
    assert_eq!((channels.extent, channels.tile), (24, 24));
    channels.tile = 16;
    let cut = price_of(&kernel, &schedule, &device).unwrap();
    assert!(
        cut.vector.ns() >= whole.vector.ns(),
        "{} ns in blocks of 16, {} whole",
        cut.vector.ns(),
        whole.vector.ns()
    );
}

#[test]
fn padded_row_axes_stay_whole() {
    let (s, _) = run(&packed(56, 64, 96, 24), &host(HostCpu::AVX2));
    let axis = s.grid.iter().find(|a| a.iters == [Some(2)]).unwrap();
    assert_eq!(axis.tile, 56);
}

#[test]
fn reductions_come_last_in_the_order() {
    let (s, _) = run(&packed(28, 64, 96, 24), &host(HostCpu::AVX2));
    assert_eq!(s.stages[0].order[3..], [3, 4, 5]);
    let mut order = s.stages[0].order.clone();
    order.sort_unstable();
    assert_eq!(order, [0, 1, 2, 3, 4, 5]);
}

#[test]
fn prices_grow_with_size_and_fall_with_cores() {
    let device = host(HostCpu::AVX2);
    let total = |n, device: &Device| run(&pointwise(n, 256, UnaryFn::Tanh), device).1.total;
    let totals: Vec<_> = [8, 64, 512, 4096]
        .into_iter()
        .map(|n| total(n, &device))
        .collect();
    assert!(totals.is_sorted(), "{totals:?}");
    assert!(total(512, &device.clone().with_cores(2)) < total(512, &device.with_cores(1)));
}

#[test]
fn small_kernels_are_one_block() {
    let (s, price) = run(&pointwise(4, 16, UnaryFn::Neg), &host(HostCpu::AVX2));
    assert_eq!(price.blocks, 1);
    assert!(s.grid.iter().all(|a| a.tile == a.extent));
}

#[test]
fn scratchpad_tiles_fit_every_space() {
    let device = Device::named("ascend-910b").unwrap();
    for kernel in [pointwise(4096, 4096, UnaryFn::Exp), packed(56, 256, 96, 32)] {
        let (s, price) = run(&kernel, &device);
        let mut scheduled = kernel.clone();
        scheduled.schedule = Some(s);
        let chip = sinter_loops::onchip::lower(&scheduled, &device.machine()).unwrap();
        for space in sinter_loops::onchip::Space::ALL.into_iter().skip(1) {
            let used = chip.bytes_in(space) as u64;
            assert!(
                used <= device.space_bytes(space.name()),
                "{} of {space:?}",
                used
            );
        }
        assert!(price.total > price.launch);
    }
}

#[test]
fn what_fits_nowhere_is_refused_with_figures() {
    let mut device = Device::named("ascend-910b").unwrap();
    device
        .spaces
        .iter_mut()
        .filter(|s| s.name == "ub")
        .for_each(|s| s.bytes = 4);
    let refusal = schedule(&pointwise(64, 64, UnaryFn::Exp), &device).unwrap_err();
    let need = Need {
        space: "ub".into(),
        needed: 128,
        available: 4,
    };
    assert_eq!(refusal, Refusal::Footprint(vec![need]));
    assert_eq!(
        refusal.to_string(),
        "the smallest tile needs 128 bytes of 'ub', which has 4"
    );
}

#[test]
fn depthwise_weights_are_permuted_not_blocked() {
    let mut kernel = convolution(28, 1, 32);
    // out[h, w, c] += x[h + kh, w + kw, c] * k[c, 0, kh, kw]
    kernel.slots[0].ty = TensorType::f32([28, 28, 32]);
    kernel.stages[0].iters.truncate(5);
    kernel.stages[0].reads[0].index[2] = d(0);
    kernel.stages[0].reads[1].index[1] = Affine::ZERO;
    pack_constants(&mut kernel, &host(HostCpu::AVX2));
    let layout = kernel.slots[1].layout.clone();
    let dims = [1, 2, 3, 0].map(PhysicalDim::Whole).to_vec();
    assert_eq!(layout, Some(Layout { dims }));
}

#[test]
fn the_same_kernel_gets_the_same_schedule() {
    let device = host(HostCpu::AVX512);
    let kernel = packed(28, 128, 128, 32);
    assert_eq!(run(&kernel, &device), run(&kernel, &device));
}
