//! A calibrated device file is one that `--device` takes.

use sinter_driver::{CompileOptions, RunOptions, calibrate, run};

const PROGRAM: &str = "func.func @main(%x: tensor<64xf32> {graph.name = \"x\"}) \
    -> (tensor<64xf32> {graph.name = \"y\"}) {\n\
    %0 = graph.relu %x : tensor<64xf32>\n\
    return %0 : tensor<64xf32>\n}\n";

#[test]
fn threads_that_do_not_run_at_once_are_refused() {
    for threads in [0, 100_000] {
        let error = calibrate(Some(threads)).unwrap_err().to_string();
        let said = format!("{threads} threads cannot be measured: give --threads 1 to ");
        assert!(error.starts_with(&said), "{error}");
    }
}

#[test]
fn the_file_loads_and_its_figures_are_in_order() {
    let found = calibrate(Some(1)).unwrap();
    assert!(
        found
            .figures
            .iter()
            .all(|f| f.value.is_finite() && f.value >= 0.0)
    );
    let measured: Vec<_> = found.figures.iter().map(|f| f.field.as_str()).collect();
    for field in [
        "launch_ns",
        "vector.fma_gflops",
        "vector.functions.exp",
        "gm.levels.0.gbps",
    ] {
        assert!(measured.contains(&field), "{field} is not in {measured:?}");
    }

    let text = found.text().unwrap();
    let device = sinter_device::load::parse("calibrated", &text).unwrap();
    assert_eq!(device, found.device);
    assert!(device.vector.functions.values().all(|&cost| cost >= 1.0));
    let levels = &device.space("gm").unwrap().levels;
    assert!(levels.is_sorted_by(|a, b| a.gbps >= b.gbps && a.gbps_all >= b.gbps_all));

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("here.toml");
    let model = folder.path().join("relu.mlir");
    std::fs::write(&file, text).unwrap();
    std::fs::write(&model, PROGRAM).unwrap();
    let options = CompileOptions {
        device: file.display().to_string(),
        ..CompileOptions::default()
    };
    let inputs = RunOptions {
        random: Some(1),
        ..RunOptions::default()
    };
    assert_eq!(run(&model, &options, &inputs).unwrap().outputs.len(), 1);
}
