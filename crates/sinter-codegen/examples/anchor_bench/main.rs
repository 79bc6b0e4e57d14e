//! Patterns of several anchors as one kernel and as several, in turns, on one thread: attention,
//! depthwise and pointwise convolutions, contractions in a row, normalisations.
//!
//! `cargo run --release -p sinter-codegen --example anchor_bench -- [--schedule] [FILTER]`
//!
//! A pattern is a list of parts. Every way of cutting the list into kernels is compiled as the device
//! schedules it; a line gives each cut's least time, its price, and the ratio of the whole to the
//! best of the others.

#[path = "../../../sinter-loops/tests/programs/mod.rs"]
mod programs;
mod run;

use std::error::Error;

use programs::Program;
use run::Compiled;
use sinter_codegen::Target;
use sinter_device::{Device, HostCpu, cheapest_form, pack_constants, schedule};
use sinter_loops::kernel::{Kernel, Role};
use sinter_loops::scalar::{BinaryFn, UnaryFn};
use sinter_loops::{apply_layouts, place_stages};

type Outcome<T> = Result<T, Box<dyn Error>>;
type Part = Box<dyn Fn(&mut Program, usize) -> usize>;

/// Rounds of all cuts of a pattern.
const ROUNDS: usize = 60;

struct Pattern {
    name: String,
    input: Vec<i64>,
    parts: Vec<Part>,
}

fn part(f: impl Fn(&mut Program, usize) -> usize + 'static) -> Part {
    Box::new(f)
}

fn attention(heads: i64, tokens: i64, width: i64) -> Pattern {
    let scores = part(move |p, q| {
        let (k, scale) = (p.input(&[heads, tokens, width]), p.constant(&[1]));
        let mask = p.input(&[tokens]);
        let y = p.batch_matmul(q, k, true);
        let y = p.binary(y, scale, BinaryFn::Mul);
        p.binary(y, mask, BinaryFn::Add)
    });
    let mix = part(move |p, x| {
        let v = p.input(&[heads, tokens, width]);
        p.batch_matmul(x, v, false)
    });
    Pattern {
        name: format!("attention {heads} x {tokens} x {width}"),
        input: vec![heads, tokens, width],
        parts: vec![scores, part(|p, x| p.softmax(x)), mix],
    }
}

fn pointwise(to: i64, relu: bool) -> Part {
    part(move |p, x| {
        let w = p.constant(&[to, p.shape(x)[1], 1, 1]);
        let y = p.conv(x, w, 1);
        if relu { p.relu(y) } else { y }
    })
}

fn depthwise() -> Part {
    part(|p, x| {
        let w = p.constant(&[p.shape(x)[1], 3, 3]);
        let y = p.depthwise(x, w);
        p.relu(y)
    })
}

fn image(name: &str, size: i64, from: i64, parts: Vec<Part>) -> Pattern {
    Pattern {
        name: format!("{name} @{size} from {from}"),
        input: vec![1, from, size, size],
        parts,
    }
}

fn conv3(to: i64) -> Part {
    part(move |p, x| {
        let w = p.constant(&[to, p.shape(x)[1], 3, 3]);
        let y = p.conv(x, w, 1);
        p.relu(y)
    })
}

fn dense(to: i64, activation: bool) -> Part {
    part(move |p, x| {
        let shape = p.shape(x);
        let w = p.constant(&[shape[shape.len() - 1], to]);
        let y = p.matmul(x, w);
        if activation {
            p.unary(y, UnaryFn::Erf)
        } else {
            y
        }
    })
}

fn rows(name: &str, rows: i64, width: i64, parts: Vec<Part>) -> Pattern {
    Pattern {
        name: format!("{name} {rows} x {width}"),
        input: vec![rows, width],
        parts,
    }
}

fn mean() -> Part {
    part(|p, x| {
        let y = p.reduce(x, 3, sinter_loops::nest::CombineFn::Add);
        p.reduce(y, 2, sinter_loops::nest::CombineFn::Add)
    })
}

fn patterns() -> Vec<Pattern> {
    let mut out = vec![
        attention(12, 128, 32),
        attention(192, 49, 32),
        attention(4, 512, 64),
    ];
    for (size, inner, outer) in [(56, 144, 24), (28, 192, 32), (14, 384, 64), (7, 960, 160)] {
        let down = vec![depthwise(), pointwise(outer, false)];
        out.push(image("depthwise, pointwise", size, inner, down));
        let up = vec![pointwise(inner, true), depthwise()];
        out.push(image("pointwise, depthwise", size, outer, up));
        let all = vec![pointwise(inner, true), depthwise(), pointwise(outer, false)];
        out.push(image("inverted residual", size, outer, all));
    }
    out.push(image("two 3x3", 56, 16, vec![conv3(16), conv3(16)]));
    out.push(image("two 3x3", 28, 32, vec![conv3(32), conv3(32)]));
    out.push(image(
        "pointwise, mean",
        7,
        320,
        vec![pointwise(1280, true), mean()],
    ));
    out.push(rows(
        "mlp",
        128,
        384,
        vec![dense(1536, true), dense(384, false)],
    ));
    out.push(rows(
        "mlp",
        3136,
        96,
        vec![dense(384, true), dense(96, false)],
    ));
    let norm = || part(|p, x| p.layer_norm(x));
    out.push(rows(
        "layer norm, matmul",
        128,
        384,
        vec![norm(), dense(1152, false)],
    ));
    out.push(rows(
        "layer norm, matmul",
        3136,
        96,
        vec![norm(), dense(384, false)],
    ));
    out
}

/// The kernel as the device schedules it, images channels last.
fn scheduled(mut kernel: Kernel, device: &Device, late: bool) -> Outcome<Kernel> {
    for slot in &mut kernel.slots {
        if slot.ty.rank() == 4 && !matches!(slot.role, Role::Temporary | Role::Constant) {
            slot.layout = Some("[0, 2, 3, 1]".parse()?);
        }
    }
    pack_constants(&mut kernel, device);
    let placed = place_stages(apply_layouts(kernel)?)?;
    Ok(cheapest_form(&placed, device, late)?.kernel)
}

/// The kernels of a cut: lists of consecutive parts.
fn kernels(pattern: &Pattern, cut: &[usize], device: &Device, late: bool) -> Outcome<Vec<Kernel>> {
    let mut shape = pattern.input.clone();
    let mut out = Vec::new();
    let mut parts = pattern.parts.iter();
    for &count in cut {
        let mut program = Program::new(0);
        let mut value = program.input(&shape);
        for part in parts.by_ref().take(count) {
            value = part(&mut program, value);
        }
        shape = program.shape(value);
        out.push(scheduled(program.finish(&[value]), device, late)?);
    }
    Ok(out)
}

/// All lists of positive numbers with a sum.
fn cuts(parts: usize) -> Vec<Vec<usize>> {
    if parts == 0 {
        return vec![vec![]];
    }
    let first = (1..=parts).rev();
    let with = |n: usize| {
        cuts(parts - n)
            .into_iter()
            .map(move |c| [vec![n], c].concat())
    };
    first.flat_map(with).collect()
}

fn measure(pattern: &Pattern, device: &Device, target: &Target, show: bool) -> Outcome<()> {
    let mut programs = Vec::new();
    for (cut, late) in cuts(pattern.parts.len())
        .into_iter()
        .flat_map(|c| [(c.clone(), false), (c, true)])
    {
        let kernels = match kernels(pattern, &cut, device, late) {
            Ok(found) if late && found == kernels(pattern, &cut, device, false)? => continue,
            Ok(found) => found,
            Err(refusal) => {
                println!("{:32} {cut:?}: {refusal}", pattern.name);
                continue;
            }
        };
        let mut price = 0.0;
        let mut compiled = Vec::new();
        for kernel in &kernels {
            price += schedule(kernel, device)?.1.total.ns() / 1e3;
            compiled.push(Compiled::new(kernel, target)?);
        }
        if show {
            for kernel in &kernels {
                println!("{kernel}\n{:?}", kernel.schedule);
            }
        }
        let name = format!("{cut:?}{}", if late { " late" } else { "" });
        programs.push((cut.len(), name, price, compiled, f64::INFINITY));
    }
    for _ in 0..ROUNDS {
        for (_, _, _, kernels, least) in &mut programs {
            *least = least.min(run::chain(kernels));
        }
    }
    let times = programs
        .iter()
        .map(|(_, name, price, _, s)| format!("{name} {:.1} us (price {price:.1})", s * 1e6));
    let times: Vec<_> = times.collect();
    let least = |whole: bool| {
        let of = programs.iter().filter(|p| (p.0 == 1) == whole);
        of.map(|p| p.4).fold(f64::INFINITY, f64::min)
    };
    let ratio = least(true) / least(false);
    println!("{:32} {ratio:.2}  {}", pattern.name, times.join(", "));
    Ok(())
}

fn main() -> Outcome<()> {
    let (flags, filters): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|a| a.starts_with("--"));
    let device = Device::load("host")?.with_host_cpu(HostCpu::detect());
    let device = device.with_cores(1);
    let target = Target::host();
    for pattern in patterns() {
        if filters.is_empty() || filters.iter().any(|f| pattern.name.contains(f)) {
            measure(
                &pattern,
                &device,
                &target,
                flags.iter().any(|f| f == "--schedule"),
            )?;
        }
    }
    Ok(())
}
