//! What every operator provides.

use sinter_loops::nest::Nest;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;

use crate::attr::Attr;

/// Why an operator cannot take its operands. The text has no full stop and no operator name: the
/// caller, who knows the node, prepends both.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct OpError(pub String);

/// Facts about an operator that hold for all operands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traits {
    /// One output element depends on the elements at the same place of (broadcast) operands only.
    pub elementwise: bool,
    /// Only moves elements: every output element is an input element (or a constant, for `pad`).
    pub index_map: bool,
    /// Operands may be swapped.
    pub commutative: bool,
    /// Has a register-tile or matrix-unit kernel: convolution, matrix product.
    pub contraction: bool,
    /// Combines over an extent: reductions, pooling, normalisations, contractions.
    pub reduction: bool,
    /// May not be merged, duplicated or dropped: random, stateful.
    pub effectful: bool,
}

/// An operator as loop nests. Slots are numbered: operands of the operator, then `temporaries`, then
/// its results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loops {
    /// Types of values passed between the stages.
    pub temporaries: Vec<TensorType>,
    /// Nests in execution order, over logical shapes, row-major.
    pub stages: Vec<Nest>,
}

impl Loops {
    /// One stage without temporaries.
    pub fn one(nest: Nest) -> Self {
        Self {
            temporaries: Vec::new(),
            stages: vec![nest],
        }
    }
}

/// The semantics of one operator with its attributes fixed.
pub trait Operator {
    /// Name in the `graph` dialect, without the prefix: `conv`, `transpose`, ... Operators of other
    /// dialects give their full name.
    fn mnemonic(&self) -> &'static str;

    /// Attributes in the order of the TableGen entry; `None`-valued optional ones left out.
    fn attributes(&self) -> Vec<(&'static str, Attr)>;

    /// Facts that hold for all operands.
    fn traits(&self) -> Traits;

    /// Result types.
    ///
    /// # Errors
    /// When the number, element types or shapes of the operands do not fit the operator. One message
    /// per constraint.
    fn infer(&self, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError>;

    /// Results by the operator's specification: plain, slow, accumulating in double precision and
    /// rounding once to the result's element type.
    ///
    /// # Errors
    /// As [`Operator::infer`], and where a value (an index, say) is out of its range.
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError>;

    /// The operator as loop nests over its operands.
    ///
    /// # Errors
    /// As [`Operator::infer`]. An error for operands that `infer` takes means that the operator has
    /// no loop form for them; the message says why.
    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError>;

    /// An operator and a choice of operands that means the same and is simpler, if there is one: for
    /// example an identity transpose folds to its operand. Constant operands are evaluated by the
    /// caller and need no case here.
    fn fold(&self, _operands: &[TensorType]) -> Option<Fold> {
        None
    }

    /// Multiplications and additions of one evaluation, each counted as one.
    fn flops(&self, operands: &[TensorType]) -> u64;
}

/// What an operation folds to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fold {
    /// Operand by number.
    Operand(usize),
    /// A simpler operator on some of the operands.
    Op(Box<crate::ops::Op>, Vec<usize>),
}
