//! What each rewrite rule brings: prices of ONNX models with all rules, and without each one.
//!
//! ```sh
//! cargo run --release -p sinter-fusion --example rule_effects -- [--rule NAME]... MODEL.onnx[:INPUT=1x3x640x640,..] ...
//! ```
//!
//! Prints a Markdown table: models in which the rule is found, by how much the geometric mean of all prices
//! grows without it, kernels that it saves in all, and the models that it changes most.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;

use sinter_device::{Device, HostCpu};
use sinter_fusion::rules::catalogue;
use sinter_fusion::{Options, fuse};
use sinter_onnx::{ImportOptions, import};
use sinter_ops::Graph;

/// Models named per rule.
const NAMED: usize = 3;

/// What became of a model.
struct Outcome {
    price_ns: f64,
    kernels: i64,
    /// Rules that merged classes.
    used: BTreeSet<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::named("host")?.with_host_cpu(HostCpu::detect());
    let mut wanted = Vec::new();
    let mut graphs = Vec::new();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--rule" => wanted.extend(args.next()),
            model => graphs.push(load(model)?),
        }
    }
    let fused = |graph: &Graph, disabled: Option<&str>| -> Result<Outcome, Box<dyn Error>> {
        let options = Options {
            disabled_rules: disabled.map(str::to_owned).into_iter().collect(),
            ..Options::default()
        };
        let fused = fuse(graph, &device, &options)?;
        let rules = fused.saturation.iter().flat_map(|s| &s.rules);
        let used = rules.filter(|r| r.applied > 0);
        Ok(Outcome {
            price_ns: fused.statistics.price.ns(),
            kernels: fused.statistics.kernels as i64,
            used: used.map(|r| r.name.clone()).collect(),
        })
    };
    let with: Result<Vec<_>, _> = graphs.iter().map(|(_, g)| fused(g, None)).collect();
    let with = with?;
    println!(
        "| rule | models | price without it | kernels without it | most on |\n|---|---|---|---|---|"
    );
    for rule in catalogue() {
        if !wanted.is_empty() && !wanted.iter().any(|w| w == rule.name) {
            continue;
        }
        let (mut sum, mut kernels, mut changes) = (0.0, 0, Vec::new());
        for ((name, graph), before) in graphs.iter().zip(&with) {
            // Without a match there is nothing to lose.
            if !before.used.contains(rule.name) {
                continue;
            }
            let without = fused(graph, Some(rule.name))?;
            let ratio = without.price_ns / before.price_ns;
            sum += ratio.ln();
            kernels += without.kernels - before.kernels;
            changes.push((ratio, name));
        }
        changes.sort_by(|a, b| (b.0 - 1.0).abs().total_cmp(&(a.0 - 1.0).abs()));
        let percent = |ratio: f64| format!("{:+.2} %", (ratio - 1.0) * 100.0);
        let most: Vec<_> = changes
            .iter()
            .filter(|(ratio, _)| (ratio - 1.0).abs() >= 1e-4)
            .take(NAMED)
            .map(|(ratio, name)| format!("{name} {}", percent(*ratio)))
            .collect();
        let mean = percent((sum / graphs.len() as f64).exp());
        println!(
            "| `{}` | {mean} | {kernels:+} | {} |",
            rule.name,
            most.join(", ")
        );
    }
    Ok(())
}

fn load(text: &str) -> Result<(String, Graph), Box<dyn Error>> {
    let (path, shapes) = text.split_once(':').unwrap_or((text, ""));
    let mut fixed = BTreeMap::new();
    for part in shapes.split(',').filter(|p| !p.is_empty()) {
        let (input, shape) = part.split_once('=').ok_or("a shape is INPUT=1x3x8")?;
        let extents: Result<Vec<i64>, _> = shape.split('x').map(str::parse).collect();
        fixed.insert(input.to_owned(), extents?);
    }
    let graph = import(path, &ImportOptions { shapes: fixed })?;
    let name = std::path::Path::new(path).file_stem().unwrap_or_default();
    Ok((name.to_string_lossy().into_owned(), graph))
}
