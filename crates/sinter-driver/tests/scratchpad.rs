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

/// A device file with on-chip spaces of given sizes, in the order of [`SPACES`].
fn sized(folder: &Path, sizes: [u64; 5]) -> PathBuf {
    let text = std::fs::read_to_string(root().join("devices/ascend-910b.toml")).expect("shipped");
    let mut text = text.replace("name = \"ascend-910b\"", "name = \"sized\"");
    for (name, size) in SPACES.into_iter().zip(sizes) {
        let head = format!("name = \"{name}\"\nbytes = ");
        let at = text.find(&head).expect("a space") + head.len();
        let end = at + text[at..].find(' ').expect("a comment");
        text.replace_range(at..end, &size.to_string());
    }
    let file = folder.join("sized.toml");
    std::fs::write(&file, text).expect("written");
    file
}

const SPACES: [&str; 5] = ["ub", "l1", "l0a", "l0b", "l0c"];
/// Their sizes on the built-in device.
const SIZES: [u64; 5] = [196_608, 524_288, 65_536, 65_536, 131_072];

fn compiles(model: &str, sizes: [u64; 5]) {
    let folder = tempfile::tempdir().expect("a folder");
    let options = CompileOptions {
        device: sized(folder.path(), sizes).display().to_string(),
        ..CompileOptions::default()
    };
    let path = root().join(format!("models/{model}.onnx"));
    if let Err(e) = compile(&path, &options) {
        panic!("{model} on {sizes:?}: {e}");
    }
}

/// What fusion takes for tiles that fit is placed: alignment counts, and each space has its own size.
#[test]
fn what_fusion_accepts_is_placed() {
    for sizes in [
        [2432, 28224, 1344, 1792, 131_072],
        [5568, 524_288, 1344, 65536, 131_072],
        [8704, 24192, 1920, 1728, 5312],
        [196_608, 17984, 704, 1344, 2816],
        [4224, 8192, 704, 1024, 131_072],
        [4352, 28736, 960, 1280, 4352],
    ] {
        compiles("bottleneck", sizes);
    }
    let mut state = 1_u64;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for model in ["chain", "attention", "bottleneck", "tiny_cnn"].repeat(6) {
        // A third to a 96th of the size, or all of it; any number of bytes.
        let sizes = SIZES.map(|size| match random(4) {
            0 => size,
            _ => size / (3 + random(94)) + random(64),
        });
        compiles(model, sizes);
    }
}
