//! Which buffers of a kernel may share memory.

use crate::affine::Interval;
use crate::kernel::{Kernel, Role};
use crate::nest::{Access, Nest};
use crate::types::TensorType;

/// Inputs that an output may overwrite, as argument numbers (inputs and constants, then outputs): each
/// point reads of the input only the element that it writes, before it writes it.
pub fn in_place(kernel: &Kernel) -> Vec<(usize, usize)> {
    let [nest] = &kernel.stages[..] else {
        return Vec::new();
    };
    let inputs: Vec<usize> = kernel.arguments().collect();
    let outputs: Vec<usize> = kernel.slots_of(Role::Output).collect();
    let mut pairs = Vec::new();
    for (o, &output) in outputs.iter().enumerate() {
        let mut writes = nest.writes.iter().filter(|w| w.operand == output);
        let (Some(write), None) = (writes.next(), writes.next()) else {
            continue;
        };
        for (i, &input) in inputs.iter().enumerate() {
            let same = kernel.slots[input].ty == kernel.slots[output].ty
                && kernel.slots[input].role == Role::Input;
            let early = nest.has_reduction() && nest.reads.iter().any(|r| r.operand == input);
            let mut reads = nest.reads.iter().chain(&nest.finish_reads);
            let alike =
                reads.all(|r| r.operand != input || (r.index == write.index && r.pad.is_none()));
            if same && !early && alike {
                pairs.push((i, inputs.len() + o));
            }
        }
    }
    pairs
}

/// Pairs of an argument and an output that may be one buffer, from its first byte on, because the kernel
/// touches other elements of it through the one than through the other: parts of a concatenation that
/// are stored in place. Numbers as for [`in_place`], the output second.
pub fn disjoint(kernel: &Kernel) -> Vec<(usize, usize)> {
    let slots: Vec<usize> = kernel
        .arguments()
        .chain(kernel.slots_of(Role::Output))
        .collect();
    let touched: Vec<_> = slots.iter().map(|&s| Touched::of(kernel, s)).collect();
    let mut pairs = Vec::new();
    for (b, &output) in slots.iter().enumerate() {
        if kernel.slots[output].role != Role::Output {
            continue;
        }
        for (a, &other) in slots[..b].iter().enumerate() {
            let same = kernel.slots[other].ty.element == kernel.slots[output].ty.element
                && kernel.slots[other].role != Role::Constant;
            if same && touched[a].is_apart_from(&touched[b]) {
                pairs.push((a, b));
            }
        }
    }
    pairs
}

/// A box that holds all elements that a kernel touches of a row-major tensor.
struct Touched {
    /// Stride in elements and values of the index, per dimension.
    dims: Vec<(i64, Interval)>,
}

impl Touched {
    fn of(kernel: &Kernel, slot: usize) -> Self {
        let ty = &kernel.slots[slot].ty;
        let mut hull: Option<Vec<Interval>> = None;
        for nest in &kernel.stages {
            for access in accesses(nest).filter(|a| a.operand == slot) {
                let ranges = ranges(nest, access, ty);
                hull = Some(match hull {
                    None => ranges,
                    Some(hull) => hull
                        .iter()
                        .zip(&ranges)
                        .map(|(a, b)| join(*a, *b))
                        .collect(),
                });
            }
        }
        let mut stride = 1;
        let mut dims: Vec<_> = hull
            .unwrap_or_default()
            .into_iter()
            .zip(&ty.shape)
            .rev()
            .map(|(range, &extent)| {
                let dim = (stride, range);
                stride *= extent.max(1);
                dim
            })
            .collect();
        dims.reverse();
        Self { dims }
    }

    /// Whether some period separates them: with element numbers taken modulo it, they lie in different
    /// ranges. The last period tried is the whole tensor.
    fn is_apart_from(&self, other: &Self) -> bool {
        if self.dims.is_empty() || other.dims.is_empty() {
            return true;
        }
        let strides = self
            .dims
            .iter()
            .chain(&other.dims)
            .map(|(stride, _)| *stride);
        strides
            .chain([i64::MAX])
            .any(|period| match (self.within(period), other.within(period)) {
                (Some(a), Some(b)) => a.max < b.min || b.max < a.min,
                _ => false,
            })
    }

    /// The element numbers modulo the period, where no sum goes past it.
    fn within(&self, period: i64) -> Option<Interval> {
        let mut out = Interval::point(0);
        for &(stride, range) in &self.dims {
            if range.min == range.max && stride * range.min % period == 0 || stride % period == 0 {
                continue;
            }
            if stride > period {
                return None;
            }
            out.min += stride * range.min;
            out.max += stride * range.max;
        }
        (out.max < period).then_some(out)
    }
}

fn accesses(nest: &Nest) -> impl Iterator<Item = &Access> {
    nest.reads
        .iter()
        .chain(&nest.finish_reads)
        .chain(&nest.writes)
}

/// The values of the index, per dimension, that lie inside the tensor.
fn ranges(nest: &Nest, access: &Access, ty: &TensorType) -> Vec<Interval> {
    let extents: Vec<i64> = nest.iters.iter().map(|i| i.extent).collect();
    let inside = |range: Interval, extent: i64| {
        let most = (extent - 1).max(0);
        Interval {
            min: range.min.clamp(0, most),
            max: range.max.clamp(0, most),
        }
    };
    access
        .index
        .iter()
        .zip(&ty.shape)
        .map(|(index, &extent)| inside(index.range(&extents), extent))
        .collect()
}

fn join(a: Interval, b: Interval) -> Interval {
    Interval {
        min: a.min.min(b.min),
        max: a.max.max(b.max),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `rows x columns` of a tensor of `width` columns, from the given column on.
    fn part(rows: i64, from: i64, columns: i64, width: i64) -> Touched {
        let range = |min, extent| Interval {
            min,
            max: min + extent - 1,
        };
        Touched {
            dims: vec![(width, range(0, rows)), (1, range(from, columns))],
        }
    }

    #[test]
    fn parts_side_by_side_are_apart() {
        assert!(part(12, 0, 16, 32).is_apart_from(&part(12, 16, 16, 32)));
        assert!(part(12, 16, 16, 32).is_apart_from(&part(12, 0, 16, 32)));
        assert!(!part(12, 0, 17, 32).is_apart_from(&part(12, 16, 16, 32)));
        assert!(!part(12, 0, 16, 32).is_apart_from(&part(12, 0, 16, 32)));
    }

    #[test]
    fn parts_one_after_the_other_are_apart() {
        let rows = |min: i64, max| Touched {
            dims: vec![(8, Interval { min, max }), (1, Interval { min: 0, max: 7 })],
        };
        assert!(rows(0, 3).is_apart_from(&rows(4, 5)));
        assert!(!rows(0, 4).is_apart_from(&rows(4, 5)));
    }

    #[test]
    fn shapes_may_differ() {
        // Columns 0..16 of 144 x 32, and columns 16..32 of 12 x 12 x 32.
        let cube = |min, max| Touched {
            dims: vec![
                (384, Interval { min: 0, max: 11 }),
                (32, Interval { min: 0, max: 11 }),
                (1, Interval { min, max }),
            ],
        };
        assert!(part(144, 0, 16, 32).is_apart_from(&cube(16, 31)));
        assert!(!part(144, 0, 16, 32).is_apart_from(&cube(15, 31)));
        // Rows of another width mix the columns.
        assert!(!part(96, 0, 16, 48).is_apart_from(&cube(16, 31)));
    }
}
