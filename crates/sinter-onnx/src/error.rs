//! Why a model cannot be imported.

use std::path::PathBuf;

use sinter_ops::OpError;

/// Why a model cannot be imported: one line that names the node and its operator, where there is one,
/// and the way out.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file cannot be opened or mapped.
    #[error("cannot read '{path}': {cause}")]
    Io {
        /// File.
        path: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
    /// The file is no ONNX model, or not all of one.
    #[error("'{path}' is damaged or no ONNX model ({cause}): fetch or export it again")]
    Truncated {
        /// File.
        path: PathBuf,
        /// What was found.
        cause: String,
    },
    /// A set of operators whose meaning is not known.
    #[error(
        "the model uses operator set {version}, Sinter knows {} to {}: convert it with \
         onnx.version_converter",
        crate::OPSETS.start(),
        crate::OPSETS.end()
    )]
    OperatorSet {
        /// Version of the default domain's operator set.
        version: i64,
    },
    /// An operator, or a form of it, that Sinter does not know.
    #[error("node '{node}' ({operator}): {cause}")]
    Unsupported {
        /// Name of the ONNX node.
        node: String,
        /// Operator type.
        operator: String,
        /// What is not supported, and the way out.
        cause: String,
    },
    /// A value that nothing makes.
    #[error(
        "node '{node}' ({operator}): '{value}' is missing, it is no weight, no input and made by no \
         node: export the model with its weights"
    )]
    MissingWeight {
        /// Name of the ONNX node.
        node: String,
        /// Operator type.
        operator: String,
        /// Name of the value.
        value: String,
    },
    /// A weight whose data is not what its type says.
    #[error("weight '{weight}': {cause}")]
    BadWeight {
        /// Name of the weight.
        weight: String,
        /// What is wrong, and the way out.
        cause: String,
    },
    /// A node that needs its own result.
    #[error(
        "node '{node}' ({operator}): the graph is cyclic, the node needs its own result through \
         '{value}': export the model again"
    )]
    Cyclic {
        /// Name of a node on the cycle.
        node: String,
        /// Operator type.
        operator: String,
        /// The operand that closes the cycle.
        value: String,
    },
    /// An input with an extent that neither the model nor the options give.
    #[error("input '{input}' has unknown size {size}: give --shape {input}={template}")]
    UnknownSize {
        /// Name of the input.
        input: String,
        /// Name or place of the unknown extent.
        size: String,
        /// The shape, with `?` for every unknown extent.
        template: String,
    },
    /// A shape in the options that does not fit the model.
    #[error("--shape {input}: {cause}")]
    BadShape {
        /// Name of the input.
        input: String,
        /// What does not fit.
        cause: String,
    },
    /// An input or output of the model that cannot be taken.
    #[error("{what}")]
    BadInterface {
        /// What cannot be taken, and the way out.
        what: String,
    },
    /// An attribute that is missing, of the wrong kind or out of range.
    #[error("node '{node}' ({operator}): attribute '{attribute}' {cause}: export the model again")]
    BadAttribute {
        /// Name of the ONNX node.
        node: String,
        /// Operator type.
        operator: String,
        /// Name of the attribute.
        attribute: String,
        /// What is wrong with it.
        cause: String,
    },
    /// A node that breaks its operator's rules.
    #[error(
        "node '{node}' ({operator}): {cause}: export the model again or, where sizes do not fit, give another \
         --shape"
    )]
    Invalid {
        /// Name of the ONNX node.
        node: String,
        /// Operator type.
        operator: String,
        /// Which rule.
        cause: String,
    },
}

/// Why a node cannot be imported, before the node is named.
#[derive(Debug)]
pub enum Fault {
    /// An operator or form that is not supported.
    Unsupported(String),
    /// An attribute that is missing or wrong.
    Attribute {
        /// Its name.
        name: String,
        /// What is wrong with it.
        cause: String,
    },
    /// A broken rule of the operator.
    Invalid(String),
    /// A value that nothing makes.
    Missing(String),
    /// An error inside a subgraph, which already names its node.
    Inner(Box<ImportError>),
}

impl Fault {
    /// An operator or form that is not supported; the text names the way out.
    pub fn unsupported(what: impl Into<String>) -> Self {
        Self::Unsupported(what.into())
    }

    /// An attribute whose text names the way out.
    pub(crate) fn attribute_value(name: &str, cause: &str) -> Self {
        Self::Unsupported(format!("attribute '{name}' {cause}"))
    }

    /// A broken rule.
    pub fn invalid(what: impl Into<String>) -> Self {
        Self::Invalid(what.into())
    }

    /// An attribute that is missing or wrong.
    pub fn attribute(name: &str, cause: impl Into<String>) -> Self {
        Self::Attribute {
            name: name.into(),
            cause: cause.into(),
        }
    }

    /// Names the node.
    pub(crate) fn at(self, node: String, operator: String) -> ImportError {
        match self {
            Self::Unsupported(cause) => ImportError::Unsupported {
                node,
                operator,
                cause,
            },
            Self::Attribute { name, cause } => ImportError::BadAttribute {
                node,
                operator,
                attribute: name,
                cause,
            },
            Self::Invalid(cause) => ImportError::Invalid {
                node,
                operator,
                cause,
            },
            Self::Missing(value) => ImportError::MissingWeight {
                node,
                operator,
                value,
            },
            Self::Inner(error) => *error,
        }
    }
}

impl From<OpError> for Fault {
    fn from(error: OpError) -> Self {
        Self::Invalid(error.0)
    }
}
