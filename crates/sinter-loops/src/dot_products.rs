//! Contractions whose products a processor may add in groups: those of an unsigned and a signed byte to `i32`, those
//! of two `bf16` to `f32`.
//!
//! Processors with such dot products add a group of them to each 32-bit lane in one instruction: four of bytes, two
//! of `bf16`. The right factors of all lanes lie in one vector, group by group: `[n / NR][k / G][NR][G]`. The left
//! factors, as many in a row, are the same for all lanes.

use crate::kernel::{Layout, PhysicalDim, Role, Slot};
use crate::nest::Nest;
use crate::types::ElementType;

/// What is multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DotKind {
    /// An unsigned and a signed byte.
    Bytes,
    /// Two `bf16`.
    Bf16,
}

impl DotKind {
    /// Products that one lane of a dot product adds.
    pub fn group(self) -> i64 {
        match self {
            Self::Bytes => 4,
            Self::Bf16 => 2,
        }
    }

    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Bf16 => "bf16",
        }
    }

    /// The type of the sums.
    pub fn sum(self) -> ElementType {
        match self {
            Self::Bytes => ElementType::I32,
            Self::Bf16 => ElementType::F32,
        }
    }
}

/// Which dot products a processor has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct DotSupport {
    /// Of bytes.
    pub bytes: bool,
    /// Of `bf16`.
    pub bf16: bool,
}

impl DotSupport {
    /// Whether it has those of a kind.
    pub fn has(self, kind: DotKind) -> bool {
        match kind {
            DotKind::Bytes => self.bytes,
            DotKind::Bf16 => self.bf16,
        }
    }
}

/// The reads that such a contraction multiplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Factors {
    /// What they are.
    pub kind: DotKind,
    /// The read of factors that are the same for all lanes: of bytes the unsigned ones.
    pub left: usize,
    /// The read of factors that lie in groups.
    pub right: usize,
}

/// The factors of a contraction that dot products may be made of. Of two `bf16` the constant ones lie in groups,
/// or else the second.
pub fn dot_factors(nest: &Nest, slots: &[Slot]) -> Option<Factors> {
    let factors = nest.body.product_of_arguments();
    let (a, b) = factors.filter(|_| nest.contract)?;
    let sums = nest.body.result_types().ok()?;
    let constant = |read: usize| slots[nest.reads[read].operand].role == Role::Constant;
    let (kind, swapped) = match (nest.body.args[a], nest.body.args[b]) {
        (ElementType::U8, ElementType::I8) => (DotKind::Bytes, false),
        (ElementType::I8, ElementType::U8) => (DotKind::Bytes, true),
        (ElementType::Bf16, ElementType::Bf16) => (DotKind::Bf16, constant(a) && !constant(b)),
        _ => return None,
    };
    let (left, right) = if swapped { (b, a) } else { (a, b) };
    (sums == [kind.sum()]).then_some(Factors { kind, left, right })
}

/// A layout in which a dimension that is whole lies in groups of so many, innermost.
#[must_use]
pub fn grouped(layout: Layout, dim: usize, group: i64) -> Layout {
    debug_assert!(layout.dims.contains(&PhysicalDim::Whole(dim)));
    layout.blocked(dim, group)
}
