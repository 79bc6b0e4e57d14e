//! Why a graph cannot be fused at all. That operators stay apart is no error: see
//! [`Refusal`](crate::legality::Refusal).

use sinter_ops::Mark;

use crate::legality::LegalityCode;
use crate::options::Policy;

/// A graph has no program of kernels on the device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FusionError {
    /// An operator has no kernel, not even by itself.
    #[error("{origin} ({operator}): has no kernel on {device}: {cause}")]
    NoKernel {
        /// ONNX node.
        origin: String,
        /// Operator.
        operator: &'static str,
        /// Device.
        device: String,
        /// Cause.
        cause: String,
    },
    /// A user's own kernel computes something else than its unit means.
    #[error("kernel '@{kernel}' is not '{unit}': {cause}")]
    OwnKernel {
        /// Symbol of the kernel.
        kernel: String,
        /// Name of the unit.
        unit: String,
        /// A counterexample.
        cause: String,
    },
    /// A rewritten operator does not take its operands: a rule is at fault.
    #[error("{origin}: the rewritten operator is malformed: {cause}")]
    Rewrite {
        /// ONNX node.
        origin: String,
        /// Cause.
        cause: String,
    },
    /// No rule or topic has the name.
    #[error("no rule or topic of rules is called '{name}'; {nearest}")]
    UnknownRule {
        /// What was asked for.
        name: String,
        /// The names nearest to it.
        nearest: String,
    },
    /// A pattern of names is no glob.
    #[error("'{pattern}' is no pattern of names: {cause}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// Cause.
        cause: String,
    },
    /// A control names no operator.
    #[error("[[{table}]] names '{pattern}', which no operator performs; {nearest}")]
    NoMatch {
        /// Table of the control.
        table: &'static str,
        /// The pattern.
        pattern: String,
        /// The names nearest to it.
        nearest: String,
    },
    /// A kernel that the user insists on has no legal form.
    #[error("{wish}: no such kernel on {device} ({code}): {cause}{flip}")]
    MustFuse {
        /// The wish.
        wish: String,
        /// Device.
        device: String,
        /// Why.
        code: LegalityCode,
        /// Cause.
        cause: String,
        /// What would make it legal, as the end of the message.
        flip: String,
    },
    /// A fusion configuration cannot be used.
    #[error("fusion configuration '{file}': {cause}")]
    Config {
        /// File.
        file: String,
        /// Cause.
        cause: String,
    },
    /// A cost cannot be used.
    #[error(
        "'{name}' is no fusion cost (time, bytes, kernels, or a TOML file of weights): {cause}"
    )]
    Cost {
        /// Name or file.
        name: String,
        /// Cause.
        cause: String,
    },
    /// Rules in text cannot be used.
    #[error("{place}: {cause}")]
    TextRule {
        /// File and rule.
        place: String,
        /// Cause, with a counterexample where there is one.
        cause: String,
    },
    /// An extraction gave something that is no program.
    #[error("the extraction's grouping is no program: {cause}")]
    Extraction {
        /// Cause.
        cause: String,
    },
    /// A policy was left out when Sinter was built.
    #[error("the policy '{0}' is not built in; build Sinter with `--features {1}`")]
    NotBuilt(Policy, &'static str),
}

/// The first ONNX name of a node, or a stand-in.
pub(crate) fn origin_of(origins: &[String]) -> String {
    origins
        .iter()
        .find(|o| !Mark::is(o))
        .cloned()
        .unwrap_or_else(|| "a node without a name".to_owned())
}
