//! Advice on shipped models: each kind occurs, pays, and its saving is what the changed model saves.

use std::path::Path;

use sinter_driver::{CompileOptions, ShapeArg, advise};
use sinter_explain::author::AdviceReport;
use sinter_explain::report::Report;

fn advised(model: &str, shapes: &[&str]) -> Report {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../models/{model}.onnx"));
    let shapes = shapes
        .iter()
        .map(|s| s.parse::<ShapeArg>().expect("a shape"));
    let options = CompileOptions {
        shapes: shapes.collect(),
        ..CompileOptions::default()
    };
    advise(&path, &options, 10).expect("is advised").report
}

fn of_kind<'a>(report: &'a Report, kind: &str) -> Vec<&'a AdviceReport> {
    report.advice.iter().filter(|a| a.kind == kind).collect()
}

#[test]
fn every_kind_occurs_on_a_convolution_network() {
    let report = advised("tiny_cnn", &[]);
    for (kind, change) in [
        (
            "layout",
            "return output features with its dimensions in the order 0, 2, 3, 1: 1x16x16x32",
        ),
        (
            "fragment",
            "do without join between them, so that these are one kernel",
        ),
        ("size", "be at most"),
    ] {
        let advice = of_kind(&report, kind);
        assert!(
            advice.iter().any(|a| a.change.contains(change)),
            "{kind}: {:?}",
            report.advice
        );
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
    let text = sinter_explain::text::advice(&report, true);
    assert!(text.contains("return output features"), "{text}");
}

/// The exported form of an activation is recognised before a cheaper one is proposed.
#[test]
fn dear_activations_are_replaced_on_a_transformer() {
    let report = advised("tiny_transformer", &["x=1x16x32"]);
    let advice = of_kind(&report, "fragment");
    let found = advice
        .iter()
        .find(|a| a.change == "compute hard_swish instead of gelu in 1 place");
    let found = found.unwrap_or_else(|| panic!("{:?}", report.advice));
    assert!(found.nodes.contains(&"gelu_erf".to_owned()), "{found:?}");
}

#[test]
fn an_offline_model_cannot_be_changed() {
    let error = advise(Path::new("model.sinter"), &CompileOptions::default(), 0);
    let message = error.expect_err("has no operators").to_string();
    assert!(message.contains("give the ONNX model"), "{message}");
}
