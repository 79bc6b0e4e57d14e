//! Shipped models on devices with less and less on-chip memory: each compiles, stays within the sizes
//! that its device file states, and gives what the host gives, with transfers as late as their waits
//! allow; and none is cheaper with less memory. (`sinter-fusion` sweeps more sizes, and real models,
//! without machine code.)

use std::path::{Path, PathBuf};

use sinter_driver::{CompileOptions, RunOptions, ShapeArg, compile, run};
use sinter_loops::tensor::Tensor;

/// Largest difference, in parts of the largest value.
const TOLERANCE: f64 = 1e-4;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A device file with the spaces of `ascend-910b`, each a part of its size.
fn device_file(folder: &Path, divisor: u64) -> PathBuf {
    let text = std::fs::read_to_string(root().join("devices/ascend-910b.toml")).expect("shipped");
    let mut text = text.replace("name = \"ascend-910b\"", "name = \"small\"");
    // Ascending, so that no part of a size is taken for a size.
    for bytes in [65_536_u64, 131_072, 196_608, 524_288] {
        let from = format!("\nbytes = {bytes} ");
        assert!(text.contains(&from), "a space of {bytes} bytes");
        text = text.replace(&from, &format!("\nbytes = {} ", bytes / divisor));
    }
    let file = folder.join("small.toml");
    std::fs::write(&file, text).expect("written");
    file
}

/// What a model gives, and its price.
fn outputs(
    model: &str,
    shapes: &[&str],
    device: &str,
    fusion: &str,
) -> (Vec<(String, Tensor)>, f64) {
    let folder = tempfile::tempdir().expect("a folder");
    let offline = folder.path().join("model.sinter");
    let shapes = shapes
        .iter()
        .map(|s| s.parse::<ShapeArg>().expect("a shape"));
    let options = CompileOptions {
        device: device.into(),
        fusion: fusion.into(),
        shapes: shapes.collect(),
        ..CompileOptions::default()
    };
    let path = root().join(format!("models/{model}.onnx"));
    let what = format!("{model} on {device}");
    let compiled = compile(&path, &options).unwrap_or_else(|e| panic!("{what}: {e}"));
    let price = compiled.statistics.price_ns;
    compiled.write(&offline).expect("written");
    let how = RunOptions {
        random: Some(1),
        threads: Some(2),
        adversarial: device != "host",
        ..RunOptions::default()
    };
    let done = run(&offline, &options, &how).unwrap_or_else(|e| panic!("{what}: {e}"));
    (done.outputs.into_iter().collect(), price)
}

fn agrees(model: &str, shapes: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let (expected, _) = outputs(model, shapes, "host", "none");
    let mut least = 0.0;
    for divisor in [1, 8, 32, 96] {
        let device = device_file(folder.path(), divisor);
        let device = device.display().to_string();
        let (actual, price) = outputs(model, shapes, &device, "egraph");
        assert!(
            price >= least,
            "{model}: {price} ns with a {divisor}th, {least} with more"
        );
        least = price;
        assert_eq!(actual.len(), expected.len());
        for ((name, actual), (_, expected)) in actual.iter().zip(&expected) {
            let (actual, expected) = (actual.to_f64s(), expected.to_f64s());
            let scale = expected.iter().fold(1e-6_f64, |m, v| m.max(v.abs()));
            for (i, (a, e)) in actual.iter().zip(&expected).enumerate() {
                // Negated, so that NaN fails.
                let close = (a - e).abs() <= TOLERANCE * scale;
                assert!(
                    close,
                    "{model}, a {divisor}th, {name}: element {i} is {a}, not {e}"
                );
            }
        }
    }
}

#[test]
fn a_convolution_network_on_any_size() {
    agrees("tiny_cnn", &[]);
}

#[test]
fn a_transformer_on_any_size() {
    agrees("tiny_transformer", &["x=2x6x32"]);
}
