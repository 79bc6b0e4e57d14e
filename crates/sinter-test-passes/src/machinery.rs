//! Passes that only tests use: they exercise the pass machinery itself.

use melior::ir::operation::{OperationLike, OperationRef};
use sinter_pass::remark::{Remark, emit, emit_remark};
use sinter_pass::{Entry, Failure, NoOptions, Pass, PassInfo, choice, options};
use sinter_sys::shim::{RemarkKind, Severity};

/// All of them.
pub(crate) fn all() -> [Entry; 4] {
    [
        Entry::new(TestFail),
        Entry::new(TestOptions),
        Entry::new(TestPanic),
        Entry::new(TestRemarks),
    ]
}

const fn info(name: &'static str, summary: &'static str) -> PassInfo {
    PassInfo {
        name,
        summary,
        description: summary,
        anchor: None,
        dialects: &[],
    }
}

struct TestPanic;

impl Pass for TestPanic {
    type Options = NoOptions;
    const INFO: PassInfo = info("test-panic", "Panics, to test that the panic is caught");

    fn run(&self, _: OperationRef<'_, '_>, _: &NoOptions) -> Result<(), Failure> {
        panic!("this is what the panic says")
    }
}

struct TestFail;

impl Pass for TestFail {
    type Options = NoOptions;
    const INFO: PassInfo = info("test-fail", "Fails, to test failures and reproducers");

    fn run(&self, _: OperationRef<'_, '_>, _: &NoOptions) -> Result<(), Failure> {
        Err(Failure::message("this is why it fails"))
    }
}

choice! {
    enum Fruit { Apple = "apple", Pear = "pear" }
}

options! {
    struct Options {
        /// A word of a few
        fruit: Fruit = Fruit::Apple,
        /// A number
        how_many: i64 = 3,
        /// A number that is not negative
        at_least: usize = 0,
        /// A switch
        ripe: bool = false,
        /// A text
        label: String = "none".to_owned(),
    }
}

struct TestOptions;

impl Pass for TestOptions {
    type Options = Options;
    const INFO: PassInfo = info("test-options", "Says which options it was given");

    fn run(&self, op: OperationRef<'_, '_>, options: &Options) -> Result<(), Failure> {
        let Options {
            fruit,
            how_many,
            at_least,
            ripe,
            label,
        } = options;
        let text = format!("{fruit:?} {how_many} {at_least} {ripe} '{label}'");
        emit(
            Severity::Remark,
            op.location(),
            &text,
            &[(op.location(), "a note")],
        );
        Ok(())
    }
}

struct TestRemarks;

impl Pass for TestRemarks {
    type Options = NoOptions;
    const INFO: PassInfo = info("test-remarks", "Emits one optimisation remark of each kind");

    fn run(&self, op: OperationRef<'_, '_>, _: &NoOptions) -> Result<(), Failure> {
        let metrics = [("bytes", "4096".to_owned())];
        for (kind, name) in [
            (RemarkKind::Passed, "fused"),
            (RemarkKind::Missed, "refused"),
            (RemarkKind::Failed, "broken"),
            (RemarkKind::Analysis, "priced"),
        ] {
            let remark = Remark {
                name,
                category: "test-remarks",
                function: "main",
                message: "a message",
                reason: "a reason",
                suggestion: "a suggestion",
                metrics: &metrics,
            };
            emit_remark(kind, op.location(), &remark);
        }
        Ok(())
    }
}
