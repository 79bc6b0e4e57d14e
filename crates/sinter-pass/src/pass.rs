//! What a pass is.

use std::error::Error;

use melior::ir::operation::OperationRef;

use crate::options::{OptionInfo, OptionSet};

/// What help, documentation, timing and the pipeline parser know of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassInfo {
    /// Name in pipelines and on the command line, in kebab-case.
    pub name: &'static str,
    /// One line, without a full stop.
    pub summary: &'static str,
    /// What it takes, leaves and refuses, in Markdown.
    pub description: &'static str,
    /// The operation that it runs on (`builtin.module`, `func.func`, ...); `None` for any.
    pub anchor: Option<&'static str>,
    /// Dialects whose operations or attributes it makes.
    pub dialects: &'static [&'static str],
}

/// A transformation or analysis of IR.
///
/// It runs on several operations at once, on threads of MLIR's, so it holds nothing that changes.
/// What it needs comes through its options. It may change the operation and what is within, nothing
/// else.
pub trait Pass: Send + Sync + 'static {
    /// Its options; [`NoOptions`] where there are none.
    type Options: OptionSet;

    /// Names and help.
    const INFO: PassInfo;

    /// Runs on one operation.
    ///
    /// # Errors
    /// When it cannot do what it promises. The IR may be left half changed.
    fn run(&self, op: OperationRef<'_, '_>, options: &Self::Options) -> Result<(), Failure>;
}

/// Why a pass failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The reason has been emitted as an error already.
    Reported,
    /// The reason; it is emitted at the operation that the pass ran on.
    Message(String),
}

impl Failure {
    /// A failure with a reason.
    pub fn message(text: impl Into<String>) -> Self {
        Self::Message(text.into())
    }
}

/// Every error is a reason, with its causes.
impl<E: Error> From<E> for Failure {
    fn from(error: E) -> Self {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            let said = error.to_string();
            if !text.contains(&said) {
                text = format!("{text}: {said}");
            }
            cause = error.source();
        }
        Self::Message(text)
    }
}

/// No options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoOptions;

impl OptionSet for NoOptions {
    fn infos() -> Vec<OptionInfo> {
        Vec::new()
    }

    fn parse(_: &[&str]) -> Result<Self, String> {
        Ok(Self)
    }
}
