//! Why a graph cannot be fused at all. That operators stay apart is no error: see
//! [`Refusal`](crate::legality::Refusal).

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
    /// A rewritten operator does not take its operands: a rule is at fault.
    #[error("{origin}: the rewritten operator is malformed: {cause}")]
    Rewrite {
        /// ONNX node.
        origin: String,
        /// Cause.
        cause: String,
    },
    /// No rule has the name.
    #[error("no rule is called '{0}'; `sinter explain --rules` lists them")]
    UnknownRule(String),
}

/// The first ONNX name of a node, or a stand-in.
pub(crate) fn origin_of(origins: &[String]) -> String {
    origins
        .first()
        .cloned()
        .unwrap_or_else(|| "a node without a name".to_owned())
}
