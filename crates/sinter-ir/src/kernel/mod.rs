//! [`Kernel`](sinter_loops::kernel::Kernel) to `tloop.kernel` and back.
//!
//! Inputs and constants are the arguments, outputs the results, temporaries the values between the
//! stages. An output of which the kernel writes only a part (the rest is another kernel's) has a
//! *destination*: a further argument of role `output`.
//!
//! Read back, slots come in this order: inputs and constants, temporaries as they are defined,
//! outputs. [`canonical`] brings a kernel into it; nothing but the numbering of slots changes.

mod body_export;
mod body_import;
mod call;
mod canonical;
mod cover;
mod export;
mod import;
mod replace;
mod schedule;
mod spell;

/// Marks a `tloop.nest` that is a contraction of factors which its body computes; a contraction of
/// the reads themselves is a `tloop.contract`.
pub(crate) const CONTRACT: &str = "tloop.contract";

pub(crate) use import::op_to_nest;
pub(crate) use schedule::physical_dim;

pub use canonical::canonical;
pub use cover::destinations;
pub use export::kernel_to_op;
pub use import::op_to_kernel;
pub use replace::replace_kernel;
pub use schedule::{
    FORM, PLANNED, graph_layout_to_attribute, layout_from_attribute, layout_to_attribute,
    schedule_from_attribute, schedule_to_attribute,
};
