//! Reports of a shipped model, and how a report is read, selected and drawn.

use std::path::Path;

use sinter_device::{Device, HostCpu};
use sinter_explain::report::{REPORT_VERSION, RefusalReport};
use sinter_explain::{Report, ReportError, html, text};
use sinter_fusion::{Limits, Options, fuse};

fn report(model: &str, device: &str) -> Report {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../models")
        .join(model);
    let graph = sinter_onnx::import(&path, &sinter_onnx::ImportOptions::default()).unwrap();
    let device = Device::named(device).unwrap().with_host_cpu(HostCpu::AVX2);
    let limits = Limits {
        thresholds: 10,
        ..Limits::default()
    };
    let options = Options {
        limits,
        ..Options::default()
    };
    Report::new(&fuse(&graph, &device, &options).unwrap())
}

/// The text with every number as `N` and single spaces: figures follow the device file.
fn shape(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let words: Vec<_> = line.split_whitespace().collect();
        let mut digits = false;
        for c in words.join(" ").chars() {
            let part = c.is_ascii_digit() || (digits && c == '.');
            match (part, digits) {
                (true, false) => out.push('N'),
                (true, true) => {}
                (false, _) => out.push(c),
            }
            digits = part;
        }
        out.push('\n');
    }
    out
}

#[test]
fn text_of_a_chain() {
    let report = report("chain.onnx", "host");
    insta::assert_snapshot!(shape(&text::text(&report, &report.all(), false)));
}

#[test]
fn json_of_a_chain() {
    let report = report("chain.onnx", "host");
    insta::assert_snapshot!(shape(&serde_json::to_string_pretty(&report).unwrap()));
}

#[test]
fn json_is_read_back_whole() {
    let report = report("tiny_cnn.onnx", "ascend-910b");
    assert!(!report.refusals.is_empty());
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(Report::from_json(&json).unwrap(), report);
}

#[test]
fn other_versions_and_none_are_refused() {
    let version = |v: u32| serde_json::json!({ "version": v });
    let refused = |json| Report::from_json(&json).unwrap_err().to_string();
    assert_eq!(
        refused(version(REPORT_VERSION + 1)),
        "the decisions have version 2, this sinter reads 1; compile the model again"
    );
    assert!(
        refused(version(REPORT_VERSION)).starts_with("the decisions are malformed: missing field")
    );
    assert!(refused(serde_json::Value::Null).starts_with("the model keeps no decisions"));
}

#[test]
fn edges_lead_to_later_kernels_and_refusals_to_kernels() {
    let report = report("tiny_cnn.onnx", "host");
    assert_eq!(report.summary.kernels as usize, report.groups.len());
    for (place, group) in report.groups.iter().enumerate() {
        assert!(group.reads.iter().all(|e| e.from < place && e.bytes > 0));
        assert!(
            place == 0 || !group.reads.is_empty(),
            "{} reads nothing",
            group.kernel
        );
    }
    let known = |r: &RefusalReport| r.kernels.iter().all(|&k| k < report.groups.len());
    assert!(report.refusals.iter().all(known));
}

#[test]
fn a_glob_selects_kernels_and_refusals() {
    let report = report("tiny_cnn.onnx", "host");
    let selection = report.select("res_*").unwrap();
    assert!(!selection.groups.is_empty() && selection.groups.len() < report.groups.len());
    let only = report.only(&selection);
    assert_eq!(only.groups.len(), selection.groups.len());
    assert!(
        only.groups
            .iter()
            .all(|g| g.nodes.iter().any(|n| n.starts_with("res_")))
    );
    let inside = |g: &usize| *g < only.groups.len();
    assert!(only.refusals.iter().all(|r| r.kernels.iter().all(inside)));
    assert!(
        only.groups
            .iter()
            .flat_map(|g| &g.reads)
            .all(|e| inside(&e.from))
    );
}

#[test]
fn globs_that_match_nothing_or_are_none_say_so() {
    let report = report("chain.onnx", "host");
    let error = report.select("relv").unwrap_err();
    assert_eq!(
        error.to_string(),
        "no ONNX node matches 'relv'; there are 3 nodes, such as 'relu', 'scale', 'shift'"
    );
    let error = report.select("a[").unwrap_err();
    assert!(matches!(error, ReportError::Pattern { .. }), "{error}");
}

#[test]
fn a_short_text_counts_what_it_leaves_out() {
    let mut report = report("chain.onnx", "host");
    let refusal = |n: usize| RefusalReport {
        code: "not-cheaper".to_owned(),
        nodes: vec![format!("a{n}"), format!("b{n}")],
        message: "together they would take 2.0 us, apart 1.0 us".to_owned(),
        flip: Some("if it took 1.0 us less".to_owned()),
        saved_bytes: 4096,
        saved_ns: 2000.0 - n as f64,
        kernels: vec![0],
    };
    report.refusals = (0..12).map(refusal).collect();
    let short = text::text(&report, &report.all(), false);
    assert!(
        short.contains("2.0 us       4096 bytes  a0 | b0  [not-cheaper]"),
        "{short}"
    );
    assert!(
        short.contains("would fuse if it took 1.0 us less"),
        "{short}"
    );
    assert!(
        short.contains("a9 | b9") && !short.contains("a10 | b10"),
        "{short}"
    );
    assert!(
        short.contains("and 2 refusals that cost less: --all"),
        "{short}"
    );
    let all = text::text(&report, &report.all(), true);
    assert!(all.contains("a11 | b11") && !all.contains("--all"), "{all}");
}

#[test]
fn the_page_is_whole_and_asks_for_nothing() {
    let mut report = report("tiny_cnn.onnx", "host");
    report.groups[0].nodes[0] = "</script><b>\"&".to_owned();
    let page = html::html(&report).unwrap();
    assert_eq!(page.matches("class=\"group\"").count(), report.groups.len());
    assert_eq!(
        page.matches("</script>").count(),
        2,
        "names cannot end a script"
    );
    let markup = page.split("id=\"report\"").next().unwrap();
    assert!(!markup.contains("<b>"), "names are no markup");
    let links = ["src=", "href=", "@import", "url(http", "fetch("];
    assert!(links.iter().all(|l| !page.contains(l)));
    assert_eq!(
        html::html(&report).unwrap(),
        page,
        "the same report gives the same page"
    );
    let edges: usize = report.groups.iter().map(|g| g.reads.len()).sum();
    assert!(page.matches("class=\"edge\"").count() <= edges);
}
