//! Every code of a refusal has a lit test that triggers it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use sinter_fusion::LegalityCode;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lit-tests/Legality")
}

#[test]
fn every_code_is_triggered_by_a_lit_test_of_its_name() {
    for code in LegalityCode::ALL {
        let path = folder().join(format!("{code}.mlir"));
        let text = std::fs::read_to_string(&path)
            .unwrap_or_else(|e| panic!("{code} has no lit test {}: {e}", path.display()));
        let expected = format!("[Missed] {code} | Category:graph-fuse");
        assert!(
            text.lines()
                .any(|l| l.starts_with("// CHECK: remark:") && l.contains(&expected)),
            "{} should check for '{expected}'",
            path.display()
        );
    }
}

#[test]
fn every_lit_test_is_of_a_code() {
    let codes: BTreeSet<_> = LegalityCode::ALL
        .iter()
        .map(|c| c.code().to_owned())
        .collect();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "mlir") {
            let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
            assert!(codes.contains(&stem), "no code is called {stem}");
        }
    }
}
