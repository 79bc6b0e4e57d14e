//! Each command on a copy of the tree: which files it touches, by how much, that what it writes compiles
//! and fails only where something is to be filled in, and that it refuses to overwrite.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A copy of the tree's files under git.
struct Copy(TempDir);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn git(at: &Path, arguments: &[&str]) -> String {
    let identity = [
        "-c",
        "user.name=test",
        "-c",
        "user.email=test@example.invalid",
        "-c",
        "safe.directory=*",
    ];
    let output = Command::new("git")
        .args(identity)
        .args(arguments)
        .current_dir(at)
        .output()
        .expect("git runs");
    assert!(output.status.success(), "git {arguments:?}: {output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

impl Copy {
    fn new() -> Self {
        let copy = Self(tempfile::tempdir().expect("a folder"));
        let listed = git(
            &root(),
            &["ls-files", "--cached", "--others", "--exclude-standard"],
        );
        for file in listed.lines() {
            let (from, to) = (root().join(file), copy.0.path().join(file));
            if from.is_file() {
                std::fs::create_dir_all(to.parent().expect("a folder")).expect("can be made");
                std::fs::copy(from, to).expect("can be copied");
            }
        }
        git(copy.0.path(), &["init", "-q"]);
        git(copy.0.path(), &["add", "-A"]);
        git(copy.0.path(), &["commit", "-qm", "start"]);
        copy
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_xtask"))
            .args(arguments)
            .current_dir(self.0.path())
            .output()
            .expect("xtask runs")
    }

    /// Files that a command touched: lines added, path. Nothing is removed.
    fn touched(&self, arguments: &[&str]) -> Vec<(usize, String)> {
        let output = self.run(arguments);
        assert!(output.status.success(), "{output:?}");
        git(self.0.path(), &["add", "-A"]);
        let stat = git(self.0.path(), &["diff", "--cached", "--numstat", "HEAD"]);
        git(self.0.path(), &["commit", "-qm", "step", "--allow-empty"]);
        let line = |line: &str| {
            let mut fields = line.split('\t');
            let added = fields.next().expect("a number").parse().expect("a number");
            assert_eq!(fields.next(), Some("0"), "{line}: lines were removed");
            (added, fields.next().expect("a path").to_owned())
        };
        stat.lines().map(line).collect()
    }
}

/// Paths, with the lines added to files that were there before.
fn shape<'a>(touched: &'a [(usize, String)], old: &[&str]) -> Vec<(Option<usize>, &'a str)> {
    let added = |path: &str, n| old.contains(&path).then_some(n);
    touched
        .iter()
        .map(|(n, path)| (added(path, *n), path.as_str()))
        .collect()
}

#[test]
fn an_operator_is_an_entry_a_file_and_two_cases() {
    let touched = Copy::new().touched(&["new-op", "soft_step"]);
    let tablegen = "dialects/graph/GraphElementwise.td";
    assert_eq!(
        shape(&touched, &[tablegen]),
        [
            (None, "crates/sinter-ops/src/ops/soft_step.rs"),
            // One entry and a blank line.
            (Some(2), tablegen),
            (None, "lit-tests/Dialect/Graph/invalid-soft-step.mlir"),
            (None, "lit-tests/Dialect/Graph/ops-soft-step.mlir"),
        ]
    );
}

#[test]
fn a_pass_is_a_file_two_lines_and_a_folder() {
    let copy = Copy::new();
    let (transforms, conversion) = (
        "crates/sinter-transforms/src/lib.rs",
        "crates/sinter-conversion/src/lib.rs",
    );
    assert_eq!(
        shape(&copy.touched(&["new-pass", "graph-tidy"]), &[transforms]),
        [
            (None, "crates/sinter-transforms/src/graph_tidy.rs"),
            (Some(2), transforms),
            (None, "lit-tests/Transforms/graph-tidy/basic.mlir"),
        ]
    );
    assert_eq!(
        shape(
            &copy.touched(&["new-pass", "convert-tloop-to-linalg"]),
            &[conversion]
        ),
        [
            (
                None,
                "crates/sinter-conversion/src/convert_tloop_to_linalg.rs"
            ),
            (Some(2), conversion),
            (
                None,
                "lit-tests/Conversion/convert-tloop-to-linalg/basic.mlir"
            ),
        ]
    );
}

#[test]
fn a_rule_is_in_the_file_of_its_topic() {
    let copy = Copy::new();
    let (topic, list) = (
        "crates/sinter-fusion/src/rules/bias.rs",
        "crates/sinter-fusion/src/rules/mod.rs",
    );
    let touched = copy.touched(&["new-rule", "bias", "bias-of-nothing"]);
    assert!(matches!(shape(&touched, &[topic])[..], [(Some(_), t)] if t == topic));
    assert_eq!(
        shape(
            &copy.touched(&["new-rule", "winograd", "winograd-of-conv"]),
            &[list]
        ),
        [
            (Some(2), list),
            (None, "crates/sinter-fusion/src/rules/winograd.rs"),
        ]
    );
}

#[test]
fn a_device_is_a_file_an_entry_and_a_test() {
    let touched = Copy::new().touched(&["new-device", "my-npu", "--like", "ascend-910b"]);
    let list = "crates/sinter-device/src/built_in.rs";
    assert_eq!(
        shape(&touched, &[list]),
        [
            (Some(1), list),
            (None, "crates/sinter-device/tests/my_npu.rs"),
            (None, "devices/my-npu.toml"),
        ]
    );
}

#[test]
fn a_dialect_is_a_crate_elsewhere() {
    let copy = Copy::new();
    let elsewhere = tempfile::tempdir().expect("a folder");
    let folder = elsewhere.path().join("optics");
    let path = folder.display().to_string();
    assert_eq!(
        copy.touched(&["new-dialect", "optics", "--path", &path]),
        []
    );
    for file in [
        "Cargo.toml",
        "dialect/OpticsOps.td",
        "src/bin/optics-opt.rs",
        "lit/effects.mlir",
    ] {
        let text = std::fs::read_to_string(folder.join(file)).expect(file);
        assert!(
            !text.contains('@') || file.ends_with(".mlir"),
            "{file}: {text}"
        );
    }
}

#[test]
fn what_is_written_is_formatted() {
    let copy = Copy::new();
    copy.touched(&["new-op", "soft-step"]);
    copy.touched(&["new-pass", "graph-tidy"]);
    copy.touched(&["new-pass", "convert-tloop-to-linalg"]);
    copy.touched(&["new-rule", "winograd", "winograd-of-conv"]);
    copy.touched(&["new-rule", "bias", "bias-of-nothing"]);
    copy.touched(&["new-device", "my-npu"]);
    copy.touched(&["new-device", "my-other-accelerator"]);
    let formats = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        let output = command.args(arguments).current_dir(copy.0.path()).output();
        let output = output.expect("runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{text}");
    };
    formats(env!("CARGO"), &["fmt", "--all", "--check"]);
    // A build script lists the operators, so that cargo does not see them.
    let operator = "crates/sinter-ops/src/ops/soft_step.rs";
    formats("rustfmt", &["--edition", "2024", "--check", operator]);
}

#[test]
fn nothing_is_overwritten() {
    let copy = Copy::new();
    for arguments in [
        &["new-op", "softmax"][..],
        &["new-pass", "graph-fuse"],
        &["new-rule", "bias", "add-into-bias"],
        &["new-device", "host"],
        &["new-dialect", "tloop", "--path", "tloop"],
    ] {
        let output = copy.run(arguments);
        assert!(!output.status.success(), "{arguments:?}: {output:?}");
        assert_eq!(
            git(copy.0.path(), &["status", "--porcelain"]),
            "",
            "{arguments:?}"
        );
    }
    let output = copy.run(&["new-op", "Relu"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

/// What is written compiles, and its tests fail with the request to fill in, and nowhere else. The crates of
/// the copy are compiled without optimisation, beside those of the tree; the crates of others are the tree's.
#[test]
#[ignore = "compiles for half a minute; scripts/test runs it"]
fn what_is_written_asks_to_be_filled_in() {
    let copy = Copy::new();
    copy.touched(&["new-op", "soft-step"]);
    copy.touched(&["new-rule", "winograd", "winograd-of-conv"]);
    copy.touched(&["new-rule", "bias", "bias-of-nothing"]);
    copy.touched(&["new-device", "my-npu", "--like", "ascend-910b"]);
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root().join("target"), PathBuf::from);
    let crates = std::fs::read_dir(copy.0.path().join("crates")).expect("a folder");
    let names = crates.map(|entry| entry.expect("a crate").file_name().into_string());
    let quick: Vec<_> = names
        .map(|name| name.expect("UTF-8"))
        .flat_map(|name| ["opt-level=0", "debug=false"].map(|s| format!("{name}.{s}")))
        .collect();
    let tests = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO"))
            .args(["test", "--release", "--no-fail-fast"])
            .args(
                quick
                    .iter()
                    .flat_map(|s| ["--config".into(), format!("profile.release.package.{s}")]),
            )
            .args(arguments)
            .env("CARGO_TARGET_DIR", &target)
            .current_dir(copy.0.path())
            .output()
            .expect("cargo runs");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        format!("{}{}", text(output.stdout), text(output.stderr))
    };
    let ops = tests(&["-p", "sinter-ops", "--lib", "soft_step"]);
    assert!(
        ops.contains("write what the specification gives for [-1.0, 0.0, 0.5, 2.0]"),
        "{ops}"
    );
    assert!(ops.contains("1 passed; 1 failed"), "{ops}");
    let rules = tests(&["-p", "sinter-fusion", "--test", "rules"]);
    assert!(
        rules.contains("bias-of-nothing does not apply, seed 0"),
        "{rules}"
    );
    let device = tests(&["-p", "sinter-device", "--test", "my_npu"]);
    assert!(device.contains("0 passed; 1 failed"), "{device}");
}
