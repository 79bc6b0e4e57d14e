//! Why a kernel has no schedule on a device.

/// A kernel cannot be scheduled.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Refusal {
    /// Even the smallest tile does not fit.
    #[error("the smallest tile needs {}", list(.0))]
    Footprint(Vec<Need>),
    /// The stages have no common iterators, or a stage cannot be run inside a block.
    #[error("{0}")]
    Stages(String),
    /// A slot has no elements or the kernel has no stage.
    #[error("the kernel computes nothing")]
    Empty,
}

/// A space that is too small.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Need {
    /// Space.
    pub space: String,
    /// Bytes of the smallest tile.
    pub needed: u64,
    /// Size of the space.
    pub available: u64,
}

impl Refusal {
    /// Number of spaces that are too small, and by how many bytes together; nothing for other refusals.
    pub(crate) fn excess(&self) -> (usize, u64) {
        match self {
            Self::Footprint(needs) => {
                let excess = needs.iter().map(|n| n.needed.saturating_sub(n.available));
                (needs.len(), excess.fold(0, u64::saturating_add))
            }
            _ => (0, 0),
        }
    }
}

fn list(needs: &[Need]) -> String {
    let each = needs.iter().map(|n| {
        format!(
            "{} bytes of '{}', which has {}",
            n.needed, n.space, n.available
        )
    });
    each.collect::<Vec<_>>().join(", and ")
}
