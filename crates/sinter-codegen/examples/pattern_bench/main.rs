//! Depthwise convolution, pooling, transposition, row reductions and pointwise code, as the device
//! schedules them, on one thread.
//!
//! `cargo run --release -p sinter-codegen --example pattern_bench -- [--schedule] [--asm] [--mlir]
//! [--rows=N] [--vectors=N] [--unroll=N] [--lanes=N] [FILTER]`; the numbers overrule the device's choice.

use std::error::Error;
use std::time::Instant;

use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::operation::OperationRef;
use melior::ir::{BlockLike, Location, Module};
use sinter_codegen::{KernelAbi, Target, assembly, compile, lower, translate};
use sinter_conversion::expand_math::expand_math;
use sinter_conversion::host::{HostTarget, argument_order, emit_function};
use sinter_device::{Device, HostCpu, schedule};
use sinter_loops::affine::Affine;
use sinter_loops::kernel::{Kernel, Role, Slot};
use sinter_loops::nest::{Access, Combine, CombineFn, Iter, Nest};
use sinter_loops::scalar::{BinaryFn, Body, BodyBuilder, FloatBits, UnaryFn};
use sinter_loops::types::ElementType::F32;
use sinter_loops::types::TensorType;
use sinter_loops::{coalesce, place_stages};

type Entry = unsafe extern "C" fn(*const *mut u8, *const i64, u64, u64, *mut u8);
type Outcome<T> = Result<T, Box<dyn Error>>;

fn d(i: usize) -> Affine {
    Affine::Iter(i)
}

fn slots(list: &[(Role, &[i64])]) -> Vec<Slot> {
    list.iter()
        .map(|(role, shape)| Slot::new(TensorType::f32(*shape), *role))
        .collect()
}

fn kernel(slots: Vec<Slot>, stages: Vec<Nest>) -> Kernel {
    Kernel {
        name: "kernel".into(),
        slots,
        stages,
        schedule: None,
    }
}

fn parallels(shape: &[i64]) -> Vec<Iter> {
    shape.iter().map(|&e| Iter::parallel(e)).collect()
}

fn all(n: usize) -> Vec<Affine> {
    (0..n).map(d).collect()
}

fn reducing(mut nest: Nest, extents: &[i64], function: CombineFn, init: f64) -> Nest {
    nest.iters
        .extend(extents.iter().map(|&e| Iter::reduction(e)));
    nest.combines = vec![Combine {
        function,
        init: FloatBits::new(init),
    }];
    nest
}

/// A window on channels-last images, channel by channel.
fn window(size: i64, channels: i64, k: i64, stride: i64, weights: bool) -> Kernel {
    let out = (size - 1) / stride + 1;
    let at = |o: usize, t: usize| d(o) * stride + d(t) + Affine::Const(-(k / 2));
    let pad = if weights { 0.0 } else { f64::NEG_INFINITY };
    let mut reads = vec![Access::padded(0, vec![at(0, 3), at(1, 4), d(2)], pad)];
    let mut list: Vec<(Role, Vec<i64>)> = vec![(Role::Input, vec![size, size, channels])];
    let body = if weights {
        reads.push(Access::new(1, vec![d(3), d(4), d(2)]));
        list.push((Role::Constant, vec![k, k, channels]));
        let mut body = BodyBuilder::new([F32, F32]);
        let product = body.binary(BinaryFn::Mul, 0, 1);
        body.finish(vec![product])
    } else {
        Body::identity([F32])
    };
    list.push((Role::Output, vec![out, out, channels]));
    let write = vec![Access::new(list.len() - 1, all(3))];
    let nest = Nest::map(parallels(&[out, out, channels]), reads, body, write);
    let function = if weights {
        CombineFn::Add
    } else {
        CombineFn::Max
    };
    let mut nest = reducing(nest, &[k, k], function, if weights { 0.0 } else { pad });
    nest.contract = weights;
    let list: Vec<(Role, &[i64])> = list.iter().map(|(r, s)| (*r, s.as_slice())).collect();
    kernel(slots(&list), vec![nest])
}

fn transposed(shape: [i64; 2]) -> Kernel {
    let read = vec![Access::new(0, vec![d(1), d(0)])];
    let write = vec![Access::new(1, all(2))];
    let nest = Nest::map(
        parallels(&[shape[1], shape[0]]),
        read,
        Body::identity([F32]),
        write,
    );
    kernel(
        slots(&[(Role::Input, &shape), (Role::Output, &[shape[1], shape[0]])]),
        vec![nest],
    )
}

fn softmax(rows: i64, columns: i64) -> Kernel {
    let list = slots(&[
        (Role::Input, &[rows, columns]),
        (Role::Output, &[rows, columns]),
        (Role::Temporary, &[rows]),
        (Role::Temporary, &[rows, columns]),
        (Role::Temporary, &[rows]),
    ]);
    let row = || vec![d(0)];
    let shape = parallels(&[rows]);
    let map = |reads, body, write| Nest::map(shape.clone(), reads, body, vec![write]);
    let greatest = map(
        vec![Access::new(0, all(2))],
        Body::identity([F32]),
        Access::new(2, row()),
    );
    let mut power = BodyBuilder::new([F32, F32]);
    let less = power.binary(BinaryFn::Sub, 0, 1);
    let result = power.unary(UnaryFn::Exp, less);
    let power = Nest::map(
        parallels(&[rows, columns]),
        vec![Access::new(0, all(2)), Access::new(2, row())],
        power.finish(vec![result]),
        vec![Access::new(3, all(2))],
    );
    let sum = map(
        vec![Access::new(3, all(2))],
        Body::identity([F32]),
        Access::new(4, row()),
    );
    let mut quotient = BodyBuilder::new([F32, F32]);
    let result = quotient.binary(BinaryFn::Div, 0, 1);
    let quotient = Nest::map(
        parallels(&[rows, columns]),
        vec![Access::new(3, all(2)), Access::new(4, row())],
        quotient.finish(vec![result]),
        vec![Access::new(1, all(2))],
    );
    let stages = vec![
        reducing(greatest, &[columns], CombineFn::Max, f64::NEG_INFINITY),
        power,
        reducing(sum, &[columns], CombineFn::Add, 0.0),
        quotient,
    ];
    kernel(list, stages)
}

fn mean(pixels: i64, channels: i64) -> Kernel {
    let read = vec![Access::new(0, vec![d(1), d(0)])];
    let write = vec![Access::new(1, vec![d(0)])];
    let nest = Nest::map(parallels(&[channels]), read, Body::identity([F32]), write);
    let nest = reducing(nest, &[pixels], CombineFn::Add, 0.0);
    kernel(
        slots(&[
            (Role::Input, &[pixels, channels]),
            (Role::Output, &[channels]),
        ]),
        vec![nest],
    )
}

/// Hard swish: `x * min(max(x + 3, 0), 6) / 6`, or a sigmoid.
fn pointwise(count: i64, sigmoid: bool) -> Kernel {
    let mut body = BodyBuilder::new([F32]);
    let result = if sigmoid {
        let minus = body.unary(UnaryFn::Neg, 0);
        let power = body.unary(UnaryFn::Exp, minus);
        let one = body.constant(F32, 1.0);
        let sum = body.binary(BinaryFn::Add, power, one);
        body.binary(BinaryFn::Div, one, sum)
    } else {
        let [zero, three, six] = [0.0, 3.0, 6.0].map(|v| body.constant(F32, v));
        let sum = body.binary(BinaryFn::Add, 0, three);
        let low = body.binary(BinaryFn::Max, sum, zero);
        let high = body.binary(BinaryFn::Min, low, six);
        let product = body.binary(BinaryFn::Mul, 0, high);
        body.binary(BinaryFn::Div, product, six)
    };
    let nest = Nest::map(
        parallels(&[count]),
        vec![Access::new(0, all(1))],
        body.finish(vec![result]),
        vec![Access::new(1, all(1))],
    );
    kernel(
        slots(&[(Role::Input, &[count]), (Role::Output, &[count])]),
        vec![nest],
    )
}

fn patterns() -> Vec<(&'static str, Kernel)> {
    vec![
        ("depthwise 3x3 @56x144", window(56, 144, 3, 1, true)),
        ("depthwise 3x3s2 @112x96", window(112, 96, 3, 2, true)),
        ("depthwise 5x5 @14x240", window(14, 240, 5, 1, true)),
        ("max pool 3x3s2 @112x64", window(112, 64, 3, 2, false)),
        ("transpose 3 x 50176", transposed([3, 50176])),
        ("transpose 64 x 3136", transposed([64, 3136])),
        ("transpose 3136 x 64", transposed([3136, 64])),
        ("softmax 196 x 1000", softmax(196, 1000)),
        ("softmax 1024 x 49", softmax(1024, 49)),
        ("mean 49 x 512", mean(49, 512)),
        ("hard swish 200704", pointwise(200_704, false)),
        ("sigmoid 200704", pointwise(200_704, true)),
    ]
}

struct Run {
    seconds: f64,
    bytes: f64,
    flops: f64,
}

fn measure(kernel: &Kernel, target: &Target, asm: bool, mlir: bool) -> Outcome<Run> {
    let registry = DialectRegistry::new();
    melior::utility::register_all_dialects(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    let location = Location::unknown(&context);
    let mut module = Module::new(location);
    let function = emit_function(&context, location, kernel, HostTarget::plain(u64::MAX))?;
    module.body().append_operation(function.operation);
    if mlir {
        println!("{}", module.as_operation());
    }
    // SAFETY: the module outlives the reference.
    let root = unsafe { OperationRef::from_raw(module.as_operation().to_raw()) };
    expand_math(&context, root);
    lower(&context, &mut module)?;
    let order = argument_order(kernel);
    let kept = |n: &&usize| kernel.slots[**n].role != Role::Temporary;
    let buffers: Vec<usize> = order.iter().filter(kept).copied().collect();
    let mut scratch_bytes = 0u64;
    let mut temporaries = Vec::new();
    for tile in &function.temporaries {
        temporaries.push(scratch_bytes);
        scratch_bytes += (tile.bytes() as u64).next_multiple_of(64);
    }
    let abi = KernelAbi {
        symbol: kernel.name.clone(),
        buffers: buffers.len(),
        temporaries,
        in_place: vec![],
    };
    let bitcode = translate(&module, &[abi], target)?;
    if asm {
        println!("{}", assembly(&bitcode, target)?);
    }
    let file = tempfile::NamedTempFile::new()?;
    std::fs::write(file.path(), compile(&[bitcode], target, 1)?)?;
    // SAFETY: our own code, without initialisers.
    let library = unsafe { libloading::Library::new(file.path())? };
    // SAFETY: the symbol has the kernel ABI's type.
    let entry = unsafe { *library.get::<Entry>(b"kernel")? };
    let size = |s: usize| kernel.slots[s].ty.elements() as usize;
    let mut memory: Vec<Vec<[f32; 16]>> = buffers
        .iter()
        .map(|&s| vec![[0.5; 16]; size(s).div_ceil(16)])
        .collect();
    let mut scratch = vec![[0f32; 16]; scratch_bytes as usize / 64 + 1];
    let pointers: Vec<*mut u8> = memory.iter_mut().map(|m| m.as_mut_ptr().cast()).collect();
    let mut best = f64::INFINITY;
    let start = Instant::now();
    while start.elapsed().as_secs_f64() < 0.2 {
        let one = Instant::now();
        let scratch = scratch.as_mut_ptr().cast();
        // SAFETY: one buffer of the right size per slot, and enough scratch memory.
        unsafe {
            entry(
                pointers.as_ptr(),
                std::ptr::null(),
                0,
                function.blocks,
                scratch,
            )
        };
        best = best.min(one.elapsed().as_secs_f64());
    }
    let bytes = buffers
        .iter()
        .map(|&s| kernel.slots[s].ty.bytes() as f64)
        .sum();
    Ok(Run {
        seconds: best,
        bytes,
        flops: kernel.flops() as f64,
    })
}

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let flag = |name: &str| args.iter().any(|a| a == name);
    let filter = args.iter().find(|a| !a.starts_with("--"));
    let value = |name: &str| {
        let found = args
            .iter()
            .find_map(|a| a.strip_prefix(name).and_then(|v| v.strip_prefix('=')));
        found.and_then(|v| v.parse::<i64>().ok())
    };
    let target = Target::host();
    let device = Device::load("host")?.with_host_cpu(HostCpu::detect());
    for (name, kernel) in patterns() {
        if filter.is_some_and(|f| !name.contains(f.as_str())) {
            continue;
        }
        let mut kernel = coalesce(place_stages(kernel)?);
        let (mut chosen, price) = schedule(&kernel, &device)?;
        for stage in &mut chosen.stages {
            stage.row_tile = value("--rows").unwrap_or(stage.row_tile);
            stage.vectors = value("--vectors").unwrap_or(stage.vectors);
            stage.unroll = value("--unroll").unwrap_or(stage.unroll);
            stage.lanes = value("--lanes").unwrap_or(stage.lanes);
        }
        if flag("--schedule") {
            println!("{kernel}\n{chosen:?}");
        }
        kernel.schedule = Some(chosen);
        let run = measure(&kernel, &target, flag("--asm"), flag("--mlir"))?;
        println!(
            "{name:24} {:8.1} us  {:6.1} GB/s {:6.1} GFLOP/s  priced {:8.1} us",
            run.seconds * 1e6,
            run.bytes / run.seconds / 1e9,
            run.flops / run.seconds / 1e9,
            price.total.ns() / 1e3
        );
    }
    Ok(())
}
