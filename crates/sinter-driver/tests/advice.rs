//! Advice on shipped models: each kind occurs, pays, and its saving is what the changed model saves.

use std::path::Path;

use sinter_driver::{CompileOptions, advise};
use sinter_explain::report::{AdviceReport, Report};

fn advised(model: &str, device: &str) -> Report {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../models/{model}.onnx"));
    let options = CompileOptions {
        device: device.into(),
        ..CompileOptions::default()
    };
    advise(&path, &options, 10).expect("is advised").report
}

fn of_kind<'a>(report: &'a Report, kind: &str) -> Vec<&'a AdviceReport> {
    report.advice.iter().filter(|a| a.kind == kind).collect()
}

#[test]
fn every_kind_occurs_and_pays() {
    let report = advised("tiny_cnn", "ascend-910b");
    for kind in ["layout", "fragment", "size"] {
        let advice = of_kind(&report, kind);
        assert!(!advice.is_empty(), "{kind}: {:?}", report.advice);
        assert!(
            advice
                .iter()
                .all(|a| a.saved_ns > 0.0 && !a.nodes.is_empty())
        );
    }
    let sorted = report
        .advice
        .windows(2)
        .all(|w| w[0].saved_ns >= w[1].saved_ns);
    assert!(sorted, "{:?}", report.advice);
}
