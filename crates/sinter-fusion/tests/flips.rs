//! What refusals of the models that ship with Sinter say would flip a decision is followed on every
//! shipped device, and flips it.

mod common;

use std::collections::BTreeMap;

use sinter_device::{Device, HostCpu};
use sinter_fusion::control::KernelControl;
use sinter_fusion::{Fused, LegalityCode, Limits, Options, Refusal, fuse};
use sinter_onnx::{ImportOptions, import};
use sinter_ops::Graph;

fn models() -> Vec<(&'static str, Graph)> {
    let shapes = BTreeMap::from([("x".to_owned(), vec![1, 16, 32])]);
    let all = [
        ("attention", None),
        ("bottleneck", None),
        ("chain", None),
        ("tiny_cnn", None),
        ("tiny_transformer", Some(shapes)),
    ];
    let load = |(name, shapes): (&'static str, Option<_>)| {
        let path = common::root().join(format!("models/{name}.onnx"));
        let shapes = shapes.unwrap_or_default();
        (name, import(&path, &ImportOptions { shapes }).unwrap())
    };
    all.map(load).to_vec()
}

fn devices() -> [Device; 3] {
    ["host", "ascend-910b", "ascend-coupled"].map(|name| {
        let device = Device::named(name).unwrap();
        match name {
            "host" => device.with_host_cpu(HostCpu::AVX2),
            _ => device,
        }
    })
}

fn explained() -> Options {
    Options {
        limits: Limits {
            thresholds: usize::MAX,
            ..Limits::default()
        },
        ..Options::default()
    }
}

/// Devices and options that a flip asks for.
fn asked(flip: &str, device: &Device) -> Vec<(Device, Options)> {
    let mut out = Vec::new();
    let number = |text: &str| -> Option<f64> {
        let digits = text.split(|c: char| !c.is_ascii_digit() && c != '.').next();
        digits?.parse().ok()
    };
    for part in flip.split(", or ") {
        let (mut device, mut options) = (device.clone(), Options::default());
        if let Some(launch) = part.strip_prefix("if a launch cost ") {
            device.launch_ns = number(launch).unwrap() * 1e3;
        } else if let Some((kernels, _)) = part.split_once(" under [kernels]") {
            let mut control = KernelControl::default();
            for limit in kernels.strip_prefix("with ").unwrap().split(", ") {
                let (key, count) = limit.split_once(" = ").unwrap();
                let limit = match key {
                    "operators" => &mut control.operators,
                    "inputs" => &mut control.inputs,
                    "outputs" => &mut control.outputs,
                    "anchors" => &mut control.anchors,
                    other => panic!("{other}"),
                };
                *limit = Some(count.parse().unwrap());
            }
            options.control.kernels = Some(control);
        } else if let Some((space, size)) = part.split_once(" >= ")
            && !part.contains("less work")
        {
            let unit = if size.ends_with(" KiB") { 1024.0 } else { 1.0 };
            let name = space.strip_prefix("if ").unwrap();
            let space = device.spaces.iter_mut().find(|s| s.name == name).unwrap();
            space.bytes = (number(size).unwrap() * unit) as u64;
        } else {
            continue;
        }
        out.push((device, options));
    }
    out
}

fn together(fused: &Fused, nodes: &[String]) -> bool {
    let holds = |g: &sinter_fusion::Group| nodes.iter().all(|n| g.origins.contains(n));
    fused.groups.iter().any(holds)
}

/// Messages are about the model: no numbers of the compiler's own, no difference of nothing.
fn check_words(refusal: &Refusal) {
    let said = format!(
        "{} {}",
        refusal.message,
        refusal.flip.as_deref().unwrap_or("")
    );
    assert_ne!(refusal.code, LegalityCode::NoLoopForm, "{refusal:?}");
    for word in ["stage ", "slot ", "0.0 us less", "\u{1a}"] {
        assert!(!said.contains(word), "{refusal:?}");
    }
}

#[test]
fn what_a_flip_asks_for_flips() {
    let mut followed = 0;
    for (name, graph) in models() {
        for device in devices() {
            let fused = fuse(&graph, &device, &explained()).unwrap();
            for refusal in &fused.refusals {
                check_words(refusal);
                let flip = refusal.flip.as_deref().unwrap_or("");
                for (changed, options) in asked(flip, &device) {
                    let again = fuse(&graph, &changed, &options).unwrap();
                    let nodes = &refusal.nodes;
                    let where_ = &device.name;
                    assert!(together(&again, nodes), "{name} on {where_}: {refusal:?}");
                    followed += 1;
                }
            }
        }
    }
    println!("{followed} flips followed");
    assert!(followed >= 5, "{followed}");
}
