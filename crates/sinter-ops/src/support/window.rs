//! Sliding windows over spatial dimensions: convolution and pooling.

use sinter_loops::affine::Affine;
use sinter_loops::nest::Iter;
use sinter_loops::types::{ElementType, TensorType};

use super::{affine, err, require, require_arity, same_rank};
use crate::operator::OpError;

/// The largest number in a window's lists.
pub(crate) const MAX_WINDOW: i64 = 1 << 30;

/// A sliding window; every list but `pads` has one entry per spatial dimension, `pads` has all low
/// ones, then all high ones.
pub(crate) struct Window<'a> {
    pub(crate) kernel: &'a [i64],
    pub(crate) strides: &'a [i64],
    pub(crate) pads: &'a [i64],
    pub(crate) dilations: &'a [i64],
}

/// The window of a convolution or its transpose, whose operands are data, weights and perhaps a bias; the
/// kernel is the spatial part of the weights.
///
/// # Errors
/// When what both have in common does not hold: number of the operands, ranks, lists, groups.
pub(crate) fn weighted_window<'a>(
    operands: &'a [TensorType],
    (strides, pads, dilations): (&'a [i64], &'a [i64], &'a [i64]),
    groups: i64,
) -> Result<Window<'a>, OpError> {
    require_arity(operands.len(), 2..=3)?;
    let (x, w) = (&operands[0], &operands[1]);
    require(x.rank() >= 3, || {
        format!("needs spatial dimensions, but its input is {x}")
    })?;
    require(w.rank() == x.rank(), || {
        format!("input {x} and weights {w} have different ranks")
    })?;
    let window = Window {
        kernel: &w.shape[2..],
        strides,
        pads,
        dilations,
    };
    window.check()?;
    require(groups > 0, || "groups must be positive".into())?;
    Ok(window)
}

/// Refuses a bias, where there is one, that has not one value of an element type per output channel.
pub(crate) fn require_bias(
    operands: &[TensorType],
    channels: i64,
    element: ElementType,
) -> Result<(), OpError> {
    match operands.get(2) {
        Some(bias) if bias.element != element => {
            err(format!("bias {bias} is added to a result of {element}"))
        }
        Some(bias) if bias.shape != [channels] => err(format!(
            "bias {bias} is not one value per output channel ({channels})"
        )),
        _ => Ok(()),
    }
}

/// A row of output elements for one kernel tap, all of whose inputs are inside: element `output + i`
/// takes input `input + i * step`. Offsets are within one channel's plane.
pub(crate) struct Run {
    pub(crate) tap: usize,
    pub(crate) output: usize,
    pub(crate) input: usize,
    pub(crate) len: usize,
    pub(crate) step: usize,
}

impl Window<'_> {
    /// Checks the lists.
    pub(crate) fn check(&self) -> Result<(), OpError> {
        let rank = self.kernel.len();
        require((1..=3).contains(&rank), || {
            format!("has {rank} spatial dimensions, but one to three are supported")
        })?;
        same_rank("strides", self.strides, rank)?;
        same_rank("dilations", self.dilations, rank)?;
        require(self.pads.len() == 2 * rank, || {
            format!(
                "pads has {} entries instead of {}",
                self.pads.len(),
                2 * rank
            )
        })?;
        require(self.kernel.iter().all(|&k| k > 0), || {
            "kernel extents must be positive".into()
        })?;
        require(self.strides.iter().all(|&s| s > 0), || {
            "strides must be positive".into()
        })?;
        require(self.dilations.iter().all(|&d| d > 0), || {
            "dilations must be positive".into()
        })?;
        require(self.pads.iter().all(|&p| p >= 0), || {
            "pads must not be negative".into()
        })?;
        // So that no extent overflows.
        let lists = [self.kernel, self.strides, self.pads, self.dilations];
        require(lists.concat().iter().all(|&n| n <= MAX_WINDOW), || {
            format!("kernel extents, strides, dilations and pads must not be above {MAX_WINDOW}")
        })
    }

    /// Number of spatial dimensions.
    pub(crate) fn rank(&self) -> usize {
        self.kernel.len()
    }

    /// Padding before dimension `d`.
    pub(crate) fn low(&self, d: usize) -> i64 {
        self.pads[d]
    }

    /// Padding after dimension `d`.
    pub(crate) fn high(&self, d: usize) -> i64 {
        self.pads[self.rank() + d]
    }

    /// Input extent that one window spans.
    pub(crate) fn span(&self, d: usize) -> i64 {
        (self.kernel[d] - 1) * self.dilations[d] + 1
    }

    /// Output extents. With `ceil_mode` they are rounded up, but the last window starts inside the
    /// input or its low padding.
    pub(crate) fn output(&self, input: &[i64], ceil_mode: bool) -> Result<Vec<i64>, OpError> {
        (0..self.rank())
            .map(|d| {
                let slack = input[d] + self.low(d) + self.high(d) - self.span(d);
                if slack < 0 {
                    return err(format!(
                        "window of {} does not fit into the padded extent {} of spatial dimension {d}",
                        self.span(d),
                        input[d] + self.low(d) + self.high(d),
                    ));
                }
                let stride = self.strides[d];
                let mut extent = slack / stride + 1;
                if ceil_mode && slack % stride != 0 && extent * stride < input[d] + self.low(d) {
                    extent += 1;
                }
                Ok(extent)
            })
            .collect()
    }

    /// The input index of window position `position` (an iterator) and tap `tap` (an iterator).
    pub(crate) fn index(&self, d: usize, position: usize, tap: usize, iters: &[Iter]) -> Affine {
        let terms = [(position, self.strides[d]), (tap, self.dilations[d])];
        affine(&terms, -self.low(d), iters)
    }

    /// Whether some window reaches outside the input in some dimension.
    pub(crate) fn is_padded(&self, input: &[i64], output: &[i64]) -> bool {
        (0..self.rank()).any(|d| self.crosses(d, input[d], output[d]))
    }

    /// Whether some window reaches outside the input in dimension `d`.
    pub(crate) fn crosses(&self, d: usize, input: i64, output: i64) -> bool {
        let last = (output - 1) * self.strides[d] - self.low(d) + self.span(d) - 1;
        self.low(d) > 0 || last >= input
    }

    /// Window positions whose tap `tap` is inside dimension `d`.
    fn inside(&self, d: usize, tap: i64, input: i64, output: i64) -> std::ops::Range<i64> {
        let (stride, shift) = (self.strides[d], tap * self.dilations[d] - self.low(d));
        let first = if shift >= 0 {
            0
        } else {
            (-shift + stride - 1) / stride
        };
        let end = if shift >= input {
            0
        } else {
            (input - 1 - shift) / stride + 1
        };
        first..end.min(output).max(first)
    }

    /// For every tap, the rows of window positions with the tap inside the input.
    pub(crate) fn runs(&self, input: &[i64], output: &[i64]) -> Vec<Run> {
        let last = self.rank() - 1;
        let mut runs = Vec::new();
        let mut tap = 0;
        super::each_index(self.kernel, |taps| {
            let ranges: Vec<_> = (0..=last)
                .map(|d| self.inside(d, taps[d], input[d], output[d]))
                .collect();
            let rows: Vec<i64> = ranges[..last].iter().map(|r| r.end - r.start).collect();
            let len = (ranges[last].end - ranges[last].start) as usize;
            super::each_index(&rows, |row| {
                let (mut from, mut to) = (0, 0);
                for d in 0..=last {
                    let place = ranges[d].start + row.get(d).copied().unwrap_or(0);
                    to = to * output[d] + place;
                    let shift = taps[d] * self.dilations[d] - self.low(d);
                    from = from * input[d] + place * self.strides[d] + shift;
                }
                if len > 0 {
                    let (output, input) = (to as usize, from as usize);
                    runs.push(Run {
                        tap,
                        output,
                        input,
                        len,
                        step: self.strides[last] as usize,
                    });
                }
            });
            tap += 1;
        });
        runs
    }
}
