//! Where the register tile of a contraction is made of dot products.

use sinter_loops::kernel::StageSchedule;
use sinter_loops::nest::IterKind;

use crate::movement::Movement;
use crate::registers::Stage;
use crate::tile_cost::div_ceil;

/// What dot products of a register tile go along.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dots {
    /// The reduction iterator.
    pub(crate) along: usize,
    /// Points of it that one instruction adds.
    pub(crate) group: i64,
}

impl Stage<'_> {
    /// How dot products make tiles of `width` points along `v`: they go along the innermost reduction, where the
    /// left factors are the same for all lanes and consecutive along it, and the right ones lie in groups, or will
    /// be packed so.
    pub(crate) fn dots(&self, v: usize, width: i64) -> Option<Dots> {
        let factors = self.factors?;
        let group = factors.kind.group();
        let (left, right) = (&self.reads[factors.left], &self.reads[factors.right]);
        let along = self.nest.reductions().last()?;
        let stride = |of: &Movement<'_>, iter, tile| of.stride(iter, tile, &self.extents);
        let shared = !left.uses(v) && stride(left, along, group) == Some(1);
        let parallel = self.nest.iters[v].kind == IterKind::Parallel;
        let grouped = || match self.grouped == Some((right.access.operand, v)) {
            true => true,
            false => {
                stride(right, along, group) == Some(1) && stride(right, v, width) == Some(group)
            }
        };
        (parallel && shared && grouped()).then_some(Dots { along, group })
    }

    /// The same for a schedule.
    pub(crate) fn scheduled_dots(&self, s: &StageSchedule) -> Option<Dots> {
        self.dots(s.vector?, s.lanes * s.vectors)
    }

    /// Steps of the reduction over points: groups are one step.
    pub(crate) fn group_factor(&self, s: &StageSchedule) -> f64 {
        self.scheduled_dots(s).map_or(1.0, |dots| {
            let extent = self.extents[dots.along];
            div_ceil(extent, dots.group) as f64 / extent as f64
        })
    }

    /// Vector operations of one step for one vector, and how many steps are unrolled.
    pub(crate) fn step_operations(&self, s: &StageSchedule) -> (f64, i64) {
        match self.scheduled_dots(s) {
            Some(dots) => {
                let dot = self.factors.and_then(|f| self.device.dot(f.kind));
                let dot = dot.unwrap_or(self.body_operations);
                (dot, (s.unroll / dots.group).max(1))
            }
            None => (self.body_operations, s.unroll),
        }
    }

    /// The group in which an access of the right factors of dot products lies, which a vector loads as they lie.
    pub(crate) fn group_of(&self, access: &Movement<'_>, v: usize, width: i64) -> Option<i64> {
        let right = self.factors.map(|f| &self.nest.reads[f.right]);
        right.filter(|r| std::ptr::eq(*r, access.access))?;
        Some(self.dots(v, width)?.group)
    }
}
