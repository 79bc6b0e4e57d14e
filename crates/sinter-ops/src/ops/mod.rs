//! The operators, one file per family.

pub mod arg_reduce;
pub mod batch_norm;
pub mod binary;
pub mod cast;
pub mod clamp;
pub mod compare;
pub mod concat;
pub mod conv;
pub mod conv_transpose;
pub mod expand;
pub mod gather;
pub mod gather_elements;
pub mod layer_norm;
pub mod matmul;
pub mod pad;
pub mod pool;
pub mod prelu;
pub mod reduce;
pub mod reshape;
pub mod resize;
pub mod scan;
pub mod select;
pub mod slice;
pub mod softmax;
pub mod transpose;
pub mod unary;

use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;

use crate::attr::Attr;
use crate::operator::{Fold, Loops, OpError, Operator, Traits};

/// Declares [`Op`] with one variant per operator and forwards [`Operator`] to it. Adding an operator
/// is one file, one `mod` line and one line here.
macro_rules! operators {
    ($($(#[$doc:meta])* $variant:ident($ty:path),)*) => {
        /// Any operator, with its attributes.
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Op {
            $($(#[$doc])* $variant($ty),)*
        }

        $(impl From<$ty> for Op {
            fn from(op: $ty) -> Self {
                Self::$variant(op)
            }
        })*

        impl Op {
            /// Reads an operator back from its name in the `graph` dialect, or its full name in another
            /// one, and its attributes.
            ///
            /// # Errors
            /// When no operator has the name, or an attribute is missing or malformed.
            pub fn from_parts(
                mnemonic: &str,
                attributes: &[(String, Attr)],
            ) -> Result<Self, OpError> {
                $(if let Some(op) = <$ty>::parse(mnemonic, attributes) {
                    return op.map(Self::$variant);
                })*
                Err(OpError(format!("no operator is called '{mnemonic}'")))
            }
        }

        impl Operator for Op {
            fn mnemonic(&self) -> &'static str {
                match self { $(Self::$variant(op) => op.mnemonic(),)* }
            }
            fn attributes(&self) -> Vec<(&'static str, Attr)> {
                match self { $(Self::$variant(op) => op.attributes(),)* }
            }
            fn traits(&self) -> Traits {
                match self { $(Self::$variant(op) => op.traits(),)* }
            }
            fn infer(&self, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError> {
                match self { $(Self::$variant(op) => op.infer(operands),)* }
            }
            fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
                match self { $(Self::$variant(op) => op.eval(operands),)* }
            }
            fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
                match self { $(Self::$variant(op) => op.loops(operands),)* }
            }
            fn fold(&self, operands: &[TensorType]) -> Option<Fold> {
                match self { $(Self::$variant(op) => op.fold(operands),)* }
            }
            fn flops(&self, operands: &[TensorType]) -> u64 {
                match self { $(Self::$variant(op) => op.flops(operands),)* }
            }
        }
    };
}

operators! {
    /// Elementwise function of one operand.
    Unary(unary::Unary),
    /// Elementwise function of two operands.
    Binary(binary::Binary),
    /// Elementwise comparison.
    Compare(compare::Compare),
    /// Elementwise choice.
    Select(select::Select),
    /// Element type conversion.
    Cast(cast::Cast),
    /// Limits to a range.
    Clamp(clamp::Clamp),
    /// Leaky ReLU with a slope operand.
    Prelu(prelu::Prelu),
    /// Reduction over axes.
    Reduce(reduce::Reduce),
    /// Index of an extreme element.
    ArgReduce(arg_reduce::ArgReduce),
    /// Running reduction.
    Scan(scan::Scan),
    /// Batched matrix product.
    Matmul(matmul::Matmul),
    /// Convolution.
    Conv(conv::Conv),
    /// Transposed convolution.
    ConvTranspose(conv_transpose::ConvTranspose),
    /// Pooling over windows.
    Pool(pool::Pool),
    /// Permutation of dimensions.
    Transpose(transpose::Transpose),
    /// Another shape for the same elements.
    Reshape(reshape::Reshape),
    /// Broadcast to a shape.
    Expand(expand::Expand),
    /// Strided part.
    Slice(slice::Slice),
    /// Concatenation along an axis.
    Concat(concat::Concat),
    /// Padding.
    Pad(pad::Pad),
    /// Selection of slices by index.
    Gather(gather::Gather),
    /// Selection of elements by index.
    GatherElements(gather_elements::GatherElements),
    /// Resampling.
    Resize(resize::Resize),
    /// Batch normalisation.
    BatchNorm(batch_norm::BatchNorm),
    /// Softmax.
    Softmax(softmax::Softmax),
    /// Logarithm of softmax.
    LogSoftmax(softmax::LogSoftmax),
    /// Layer normalisation.
    LayerNorm(layer_norm::LayerNorm),
    /// An operator of another dialect.
    Custom(crate::custom::Custom),
}
