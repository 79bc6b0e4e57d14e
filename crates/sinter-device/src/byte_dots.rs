//! Where the register tile of a contraction of bytes is made of dot products.

use sinter_loops::byte_products::GROUP;
use sinter_loops::kernel::StageSchedule;
use sinter_loops::nest::IterKind;

use crate::movement::Movement;
use crate::registers::Stage;
use crate::tile_cost::div_ceil;

impl Stage<'_> {
    /// The reduction iterator that dot products of bytes go along in fours, on tiles of `width` points along
    /// `v`: the innermost, where the unsigned factors are the same for all lanes and consecutive along it, and
    /// the signed ones lie four by four, or will be packed so.
    pub(crate) fn byte_dots(&self, v: usize, width: i64) -> Option<usize> {
        let (left, right) = self.bytes?;
        let (left, right) = (&self.reads[left], &self.reads[right]);
        let along = self.nest.reductions().last()?;
        let stride = |of: &Movement<'_>, iter, tile| of.stride(iter, tile, &self.extents);
        let shared = !left.uses(v) && stride(left, along, GROUP) == Some(1);
        let parallel = self.nest.iters[v].kind == IterKind::Parallel;
        let grouped = || match self.grouped == Some((right.access.operand, v)) {
            true => true,
            false => {
                stride(right, along, GROUP) == Some(1) && stride(right, v, width) == Some(GROUP)
            }
        };
        (parallel && shared && grouped()).then_some(along)
    }

    /// The same for a schedule.
    pub(crate) fn scheduled_dots(&self, s: &StageSchedule) -> Option<usize> {
        self.byte_dots(s.vector?, s.lanes * s.vectors)
    }

    /// Steps of the reduction over points: groups are one step.
    pub(crate) fn group_factor(&self, s: &StageSchedule) -> f64 {
        self.scheduled_dots(s).map_or(1.0, |along| {
            let extent = self.extents[along];
            div_ceil(extent, GROUP) as f64 / extent as f64
        })
    }

    /// Vector operations of one step for one vector, and how many steps are unrolled.
    pub(crate) fn step_operations(&self, s: &StageSchedule) -> (f64, i64) {
        match self.scheduled_dots(s) {
            Some(_) => {
                let dot = self.device.byte_dot().unwrap_or(self.body_operations);
                (dot, (s.unroll / GROUP).max(1))
            }
            None => (self.body_operations, s.unroll),
        }
    }

    /// Whether an access is of the signed factors of dot products, which a vector loads as they lie.
    pub(crate) fn is_grouped(&self, access: &Movement<'_>, v: usize, width: i64) -> bool {
        let right = self.bytes.map(|(_, right)| &self.nest.reads[right]);
        let same = right.is_some_and(|r| std::ptr::eq(r, access.access));
        same && self.byte_dots(v, width).is_some()
    }
}
