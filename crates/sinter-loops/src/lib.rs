//! Loop nests as plain data, below every dialect.
//!
//! An operator's `loops` description, the `tloop` dialect, the price model and the stage placement
//! all speak of the same thing: a perfect domain of iterators, affine accesses, a scalar body and a
//! combiner. It is kept here without MLIR so that fusion can form and price thousands of candidate
//! kernels with the very code that later lowers the chosen ones.
//!
//! | module | holds |
//! |---|---|
//! | [`types`] | element types and ranked tensor types |
//! | [`tensor`] | dense host tensors |
//! | [`affine`] | index expressions over iterators and their simplifier |
//! | [`scalar`] | the scalar body: a small SSA list and its evaluation |
//! | [`nest`] | a loop nest: domain, accesses, body, combiner, finish |
//! | [`kernel`] | several nests over shared operands, with a schedule |
//! | [`dot_products`] | contractions of bytes and of `bf16`, which processors add in groups |
//! | [`interp`] | what a kernel computes, slow and plain |
//! | [`invert`] | inverses of index maps |
//! | [`footprint`] | the part of an operand that an access touches |
//! | [`layout`] | how logical tensors lie in memory |
//! | [`refusal`] | why a kernel cannot be formed |
//! | [`mod@apply_layouts`] | logical slots to physical ones |
//! | [`mod@place_stages`] | stages merged, the rest tied to one grid |
//! | [`attention`] | a softmax that a product uses: divided late, or computed in chunks |
//! | [`mod@coalesce`] | fewer and longer iterators |
//! | [`selection`] | reductions that take one element by index |
//! | [`sharing`] | which buffers of a kernel may share memory |
//! | [`npy`] | NumPy files |
//! | [`random`] | seeded test inputs |
//! | [`onchip`] | kernels as copies and nests over tiles, for scratchpad devices |

pub mod affine;
pub mod apply_layouts;
pub mod attention;
mod body;
pub mod coalesce;
mod display;
pub mod dot_products;
pub mod footprint;
pub mod interp;
pub mod invert;
pub mod kernel;
pub mod layout;
mod linear;
pub mod nest;
pub mod npy;
pub mod onchip;
mod order;
pub mod page_steps;
pub mod place_stages;
mod plain;
pub mod random;
pub mod refusal;
pub mod scalar;
pub mod selection;
pub mod sharing;
mod split;
pub mod tensor;
pub mod types;
mod untangle;
mod value;
mod verify;

pub use apply_layouts::apply_layouts;
pub use coalesce::coalesce;
pub use place_stages::{place_stages, shared_axes};
pub use refusal::Refusal;
