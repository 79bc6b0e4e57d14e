//! Reads through a window that slides along a parallel iterator, `x[step * i + spread * k]` for the taps `k` of a
//! reduction: neighbouring points read the same elements. What a register tile does not hold is loaded again for
//! the next one, from the first-level cache or, where rows in between have pushed it out, from the second.

use std::collections::BTreeSet;

use sinter_loops::kernel::{Role, Slot};
use sinter_loops::nest::{IterKind, Nest};

/// Vector operations that a vector costs that comes again from the second-level cache, beside the arithmetic. [Measured on
/// depthwise convolutions of 3x3 in MobileNetV2 on a Zen 4 core, register tiles of 1x14, 2x7, 2x4, 4x3 and 7x2 pixels: they take 1.34,
/// 1.18, 1.12, 1.07 and 1.05 of the time of their multiply-adds, and read each row of the image 3, 2, 2, 1.5 and 1.3 times.]
pub(crate) const AGAIN: f64 = 1.5;

/// A window of a read that slides along an iterator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// Place of the read among those of the nest.
    pub(crate) read: usize,
    /// The parallel iterator.
    pub(crate) iter: usize,
    /// Elements from point to point.
    step: i64,
    /// Elements from tap to tap.
    spread: i64,
    taps: i64,
}

impl Window {
    /// The windows of a nest's reads of stored values.
    pub(crate) fn of(nest: &Nest, slots: &[Slot]) -> Vec<Self> {
        let mut out = Vec::new();
        for (read, access) in nest.reads.iter().enumerate() {
            if slots[access.operand].role == Role::Constant {
                continue;
            }
            for expr in &access.index {
                let Some((steps, _)) = expr.linear(nest.iters.len()) else {
                    continue;
                };
                let moving = |kind| {
                    let of_kind = move |&i: &usize| nest.iters[i].kind == kind;
                    let moving = (0..steps.len()).filter(|&i| steps[i] != 0);
                    moving.filter(of_kind).collect::<Vec<_>>()
                };
                let (parallel, taps) = (moving(IterKind::Parallel), moving(IterKind::Reduction));
                if let ([iter], [tap]) = (&parallel[..], &taps[..]) {
                    out.push(Self {
                        read,
                        iter: *iter,
                        step: steps[*iter].abs(),
                        spread: steps[*tap].abs(),
                        taps: nest.iters[*tap].extent,
                    });
                }
            }
        }
        out
    }

    /// Elements that so many points read beyond those that they leave behind: a tile of them comes to these again.
    pub(crate) fn again(&self, points: i64) -> i64 {
        (self.positions(points) - self.step * points).max(0)
    }

    /// Elements that so many neighbouring points leave behind.
    pub(crate) fn passed(&self, points: i64) -> i64 {
        (self.step * points).min(self.positions(points))
    }

    /// Rows of the window: taps along it.
    pub(crate) fn taps(&self) -> i64 {
        self.taps
    }

    /// Distinct elements that so many points read.
    fn positions(&self, points: i64) -> i64 {
        if self.spread == 1 && self.step <= self.taps {
            return self.step * (points - 1) + self.taps;
        }
        let at = |i: i64| (0..self.taps).map(move |k| self.step * i + self.spread * k);
        (0..points).flat_map(at).collect::<BTreeSet<_>>().len() as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(step: i64, spread: i64, taps: i64) -> Window {
        Window {
            read: 0,
            iter: 0,
            step,
            spread,
            taps,
        }
    }

    #[test]
    fn neighbours_share_elements() {
        assert_eq!(window(1, 1, 3).positions(4), 6);
        assert_eq!(window(2, 1, 3).positions(4), 9);
        assert_eq!(window(2, 1, 1).positions(4), 4);
        assert_eq!(window(1, 2, 3).positions(2), 6);
        assert_eq!(window(1, 2, 3).positions(3), 7);
        let again: Vec<_> = (1..4).map(|n| window(1, 1, 3).again(n)).collect();
        assert_eq!(again, [2, 2, 2]);
        assert_eq!(window(3, 1, 2).again(5), 0);
        assert_eq!(window(2, 1, 3).passed(5), 10);
    }
}
