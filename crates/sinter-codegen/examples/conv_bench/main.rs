//! Convolutions against the peak of fused multiply-adds, on one thread.
//!
//! `cargo run --release -p sinter-codegen --example conv_bench -- [--avx2] [--tune] [--all] [--asm] [--mlir] [FILTER]`
//!
//! Prints GFLOP/s and the share of the peak that a loop of independent multiply-adds reaches in the
//! same run. `--tune` tries register tiles and prints the best (`--all`: all of them); `--avx2` compiles
//! for Haswell; `--rows=N --vectors=N --unroll=N --pixels=N` choose otherwise.

mod kernels;

use std::error::Error;
use std::time::Instant;

use kernels::{Conv, Tile, kernel};
use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::{BlockLike, Location, Module};
use sinter_codegen::{KernelAbi, Target, assembly, compile, lower, translate};
use sinter_conversion::host::{HostTarget, emit_function};
use sinter_loops::kernel::Kernel;

type Entry = unsafe extern "C" fn(*const *mut u8, *const i64, u64, u64, *mut u8);
type Outcome<T> = Result<T, Box<dyn Error>>;

fn context() -> Context {
    let registry = DialectRegistry::new();
    melior::utility::register_all_dialects(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    context
}

/// A compiled kernel. The library is unloaded, and its file removed, with it.
struct Loaded {
    entry: Entry,
    _library: libloading::Library,
    _file: tempfile::NamedTempFile,
}

fn load(code: &[u8], symbol: &str) -> Outcome<Loaded> {
    let file = tempfile::NamedTempFile::new()?;
    std::fs::write(file.path(), code)?;
    // SAFETY: the library is our own code and has no initialisers.
    let library = unsafe { libloading::Library::new(file.path())? };
    // SAFETY: the symbol has the kernel ABI's type.
    let entry = unsafe { *library.get::<Entry>(symbol.as_bytes())? };
    Ok(Loaded {
        entry,
        _library: library,
        _file: file,
    })
}

fn build(kernel: &Kernel, target: &Target, print: bool) -> Outcome<(Loaded, u64)> {
    let context = context();
    let location = Location::unknown(&context);
    let mut module = Module::new(location);
    let function = emit_function(&context, location, kernel, HostTarget::plain(u64::MAX))?;
    module.body().append_operation(function.operation);
    if std::env::args().any(|a| a == "--mlir") {
        println!("{}", module.as_operation());
    }
    let start = Instant::now();
    lower(&context, &mut module)?;
    let abi = KernelAbi {
        symbol: kernel.name.clone(),
        buffers: kernel.slots.len(),
        temporaries: vec![],
        in_place: vec![],
    };
    let bitcode = translate(&module, &[abi], target)?;
    let middle = Instant::now();
    let code = compile(std::slice::from_ref(&bitcode), target, 1)?;
    if print {
        println!("{}", assembly(&bitcode, target)?);
        eprintln!("lower {:?}, compile {:?}", middle - start, middle.elapsed());
    }
    Ok((load(&code, &kernel.name)?, function.blocks))
}

/// Memory aligned to cache lines.
struct Buffer(Vec<[f32; 16]>, usize);

impl Buffer {
    fn new(elements: usize, mut value: impl FnMut(usize) -> f32) -> Self {
        let mut rows = vec![[0.0; 16]; elements.div_ceil(16) + 8];
        for n in 0..elements {
            rows[n / 16][n % 16] = value(n);
        }
        Self(rows, elements)
    }

    fn get(&self, n: usize) -> f32 {
        assert!(n < self.1);
        self.0[n / 16][n % 16]
    }

    /// The first address that is a multiple of 64.
    fn pointer(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }
}

fn noise(seed: usize) -> impl FnMut(usize) -> f32 {
    move |n| {
        let x = (n as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (seed as u64) << 32;
        let x = (x ^ (x >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        ((x >> 40) as f32) / (1u64 << 23) as f32 - 1.0
    }
}

/// The best time of several runs, in seconds.
fn best_time(mut run: impl FnMut(), budget: f64) -> f64 {
    run();
    let mut best = f64::INFINITY;
    let start = Instant::now();
    while start.elapsed().as_secs_f64() < budget {
        let one = Instant::now();
        run();
        best = best.min(one.elapsed().as_secs_f64());
    }
    best
}

/// FLOP/s of a loop of twelve independent multiply-adds.
fn peak(target: &Target, lanes: i64) -> Outcome<f64> {
    let context = context();
    let n = 12;
    let names = |p: &str| {
        (0..n)
            .map(|i| format!("%{p}{i}"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let vector = format!("vector<{lanes}xf32>");
    let types = vec![vector.clone(); n].join(", ");
    let args = (0..n)
        .map(|i| format!("%a{i} = %x{i}"))
        .collect::<Vec<_>>()
        .join(", ");
    let mut text = format!(
        "func.func @peak(%b: index, %m: memref<1024xf32>) {{ %c0 = arith.constant 0 : index\n\
         %c1 = arith.constant 1 : index\n%n = arith.constant 1000000 : index\n\
         %u = vector.load %m[%c0] : memref<1024xf32>, {vector}\n"
    );
    for i in 0..n {
        text += &format!(
            "%i{i} = arith.constant {} : index\n\
             %x{i} = vector.load %m[%i{i}] : memref<1024xf32>, {vector}\n",
            i as i64 * lanes
        );
    }
    text +=
        &format!("%r:{n} = scf.for %k = %c0 to %n step %c1 iter_args({args}) -> ({types}) {{\n");
    for i in 0..n {
        text += &format!("%f{i} = math.fma %a{i}, %u, %u : {vector}\n");
    }
    text += &format!("scf.yield {} : {types} }}\n", names("f"));
    for i in 0..n {
        text += &format!("vector.store %r#{i}, %m[%i{i}] : memref<1024xf32>, {vector}\n");
    }
    text += "return }";
    let mut module = Module::parse(&context, &text).ok_or("the peak loop does not parse")?;
    lower(&context, &mut module)?;
    let abi = KernelAbi {
        symbol: "peak".into(),
        buffers: 1,
        temporaries: vec![],
        in_place: vec![],
    };
    let code = compile(&[translate(&module, &[abi], target)?], target, 1)?;
    let loaded = load(&code, "peak")?;
    let mut memory = Buffer::new(1024, |_| 0.5);
    let buffers = [memory.pointer()];
    let none = std::ptr::null_mut();
    // SAFETY: the kernel reads and writes the one buffer.
    let run = || unsafe { (loaded.entry)(buffers.as_ptr(), std::ptr::null(), 0, 1, none) };
    let seconds = best_time(run, 0.3);
    Ok(2.0 * (n as i64 * lanes) as f64 * 1e6 / seconds)
}

/// GFLOP/s of one convolution; results are checked at sample points.
fn measure(conv: &Conv, tile: Tile, pixels: i64, target: &Target, asm: bool) -> Outcome<f64> {
    let kernel = kernel(conv, tile, pixels);
    let (loaded, blocks) = build(&kernel, target, asm)?;
    let mut buffers: Vec<Buffer> = kernel
        .slots
        .iter()
        .enumerate()
        .map(|(n, s)| Buffer::new(s.ty.elements() as usize, noise(n)))
        .collect();
    let pointers: Vec<*mut u8> = buffers.iter_mut().map(Buffer::pointer).collect();
    let none = std::ptr::null_mut();
    // SAFETY: one buffer of the right size per slot.
    let run = || unsafe { (loaded.entry)(pointers.as_ptr(), std::ptr::null(), 0, blocks, none) };
    let seconds = best_time(run, 0.15);
    check(conv, tile.vectors * tile.lanes, &buffers)?;
    Ok(conv.flops() / seconds)
}

/// Compares results with a plain loop at every 97th element.
fn check(conv: &Conv, block: i64, buffers: &[Buffer]) -> Outcome<()> {
    let (size, out, ci, co, k) = (
        conv.size,
        conv.out_size(),
        conv.inputs,
        conv.outputs,
        conv.window,
    );
    let result = buffers.last().ok_or("no buffers")?;
    for n in (0..out * out * co).step_by(97) {
        let (c, x, y) = (n % co, n / co % out, n / co / out);
        let mut total = 0.0f64;
        for kh in 0..k {
            for kw in 0..k {
                let (h, w) = (
                    y * conv.stride + kh - conv.pad,
                    x * conv.stride + kw - conv.pad,
                );
                if h < 0 || h >= size || w < 0 || w >= size {
                    continue;
                }
                for i in 0..ci {
                    let weight = ((((c / block) * k + kh) * k + kw) * ci + i) * block + c % block;
                    let image = buffers[0].get(((h * size + w) * ci + i) as usize);
                    total += f64::from(image) * f64::from(buffers[1].get(weight as usize));
                }
            }
        }
        total += f64::from(buffers[2].get(c as usize));
        if conv.residual {
            total += f64::from(buffers[3].get(n as usize));
        }
        if conv.relu {
            total = total.max(0.0);
        }
        let got = f64::from(result.get(n as usize));
        if (got - total).abs() > 1e-3 * (1.0 + total.abs()) {
            return Err(format!("{}: element {n} is {got}, not {total}", conv.name).into());
        }
    }
    Ok(())
}

fn layers() -> Vec<Conv> {
    let conv = |name, size, inputs, outputs, window, stride, residual| Conv {
        name,
        size,
        inputs,
        outputs,
        window,
        stride,
        pad: window / 2,
        residual,
        relu: true,
    };
    vec![
        conv("7x7s2 3-64 @224", 224, 3, 64, 7, 2, false),
        conv("3x3 64 @56", 56, 64, 64, 3, 1, true),
        conv("3x3s2 64-128 @56", 56, 64, 128, 3, 2, false),
        conv("3x3 128 @28", 28, 128, 128, 3, 1, true),
        conv("3x3s2 128-256 @28", 28, 128, 256, 3, 2, false),
        conv("3x3 256 @14", 14, 256, 256, 3, 1, true),
        conv("3x3s2 256-512 @14", 14, 256, 512, 3, 2, false),
        conv("3x3 512 @7", 7, 512, 512, 3, 1, true),
        conv("1x1s2 64-128 @56", 56, 64, 128, 1, 2, false),
        conv("1x1s2 256-512 @14", 14, 256, 512, 1, 2, false),
        conv("1x1 64-256 @56", 56, 64, 256, 1, 1, true),
        conv("1x1 256-64 @56", 56, 256, 64, 1, 1, false),
        conv("1x1 128-512 @28", 28, 128, 512, 1, 1, true),
        conv("1x1 256-1024 @14", 14, 256, 1024, 1, 1, true),
        conv("1x1 2048-512 @7", 7, 2048, 512, 1, 1, false),
        // Divisible by every block of channels.
        conv("1x1 256-192 @48", 48, 256, 192, 1, 1, false),
    ]
}

/// Register tiles worth trying.
fn candidates(lanes: i64) -> Vec<Tile> {
    let shapes: &[(i64, i64)] = if lanes == 16 {
        &[
            (14, 2),
            (12, 2),
            (10, 2),
            (8, 2),
            (7, 2),
            (8, 3),
            (9, 3),
            (7, 3),
            (6, 4),
            (7, 4),
            (5, 4),
            (4, 4),
        ]
    } else {
        &[
            (4, 3),
            (6, 2),
            (5, 2),
            (4, 2),
            (3, 3),
            (3, 4),
            (7, 1),
            (12, 1),
        ]
    };
    let unrolls: &[i64] = &[1, 2, 4, 8];
    let tile = |&(rows, vectors): &(i64, i64)| {
        unrolls.iter().map(move |&unroll| Tile {
            rows,
            vectors,
            lanes,
            unroll,
        })
    };
    shapes.iter().flat_map(tile).collect()
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
    let mut target = Target::host();
    if flag("--avx2") {
        target.cpu = "haswell".into();
        target.features = String::new();
    }
    let lanes = i64::from(target.vector_bits()) / 32;
    let peak = peak(&target, lanes)?;
    println!(
        "{} with {lanes} lanes, peak {:.1} GFLOP/s",
        target.cpu,
        peak / 1e9
    );
    for conv in layers() {
        if filter.is_some_and(|f| !conv.name.contains(f.as_str())) {
            continue;
        }
        let mut results = Vec::new();
        let chosen = Tile {
            rows: value("--rows").unwrap_or(if lanes == 16 { 14 } else { 4 }),
            vectors: value("--vectors").unwrap_or(if lanes == 16 { 2 } else { 3 }),
            lanes,
            unroll: value("--unroll").unwrap_or(4),
        };
        let tiles = if flag("--tune") {
            candidates(lanes)
        } else {
            vec![chosen]
        };
        for tile in tiles
            .into_iter()
            .filter(|t| conv.outputs % (t.vectors * t.lanes) == 0)
        {
            let pixels = value("--pixels").unwrap_or(tile.rows * 8);
            results.push((measure(&conv, tile, pixels, &target, flag("--asm"))?, tile));
        }
        results.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (flops, tile) in results
            .iter()
            .take(if flag("--all") { usize::MAX } else { 6 })
        {
            println!(
                "{:20} {:6.1} GFLOP/s {:5.1} %  rows {} vectors {} unroll {}",
                conv.name,
                flops / 1e9,
                100.0 * flops / peak,
                tile.rows,
                tile.vectors,
                tile.unroll
            );
        }
    }
    Ok(())
}
