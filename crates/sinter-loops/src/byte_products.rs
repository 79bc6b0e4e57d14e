//! Contractions of bytes: sums, as `i32`, of products of an unsigned and a signed 8-bit integer.
//!
//! Processors with a dot product of bytes add four such products to each 32-bit lane in one instruction. The
//! signed factors of all lanes lie in one vector, four by four: `[n / NR][k / 4][NR][4]`.

use crate::kernel::{Layout, PhysicalDim};
use crate::nest::Nest;
use crate::scalar::{Body, Inst, Reg};
use crate::types::ElementType;

/// Products that one lane of a dot product adds.
pub const GROUP: i64 = 4;

/// The reads that a contraction multiplies, the unsigned and the signed one, where it is one of bytes.
pub fn byte_factors(nest: &Nest) -> Option<(usize, usize)> {
    let (a, b) = nest.body.product().filter(|_| nest.contract)?;
    let (a, b) = (widened(&nest.body, a)?, widened(&nest.body, b)?);
    match (nest.body.args[a], nest.body.args[b]) {
        (ElementType::U8, ElementType::I8) => Some((a, b)),
        (ElementType::I8, ElementType::U8) => Some((b, a)),
        _ => None,
    }
}

/// The argument that a register is, as `i32`.
fn widened(body: &Body, reg: Reg) -> Option<usize> {
    match body.insts.get(reg.checked_sub(body.args.len())?)? {
        Inst::Cast(ElementType::I32, a) if *a < body.args.len() => Some(*a),
        _ => None,
    }
}

/// A layout in which a dimension that is whole lies in groups, innermost.
#[must_use]
pub fn grouped(layout: Layout, dim: usize) -> Layout {
    debug_assert!(layout.dims.contains(&PhysicalDim::Whole(dim)));
    layout.blocked(dim, GROUP)
}
