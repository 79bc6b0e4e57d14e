//! Padding.

use sinter_loops::affine::Affine;
use sinter_loops::scalar::FloatBits;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;

use crate::attr::{named, operator_attributes, string_enum};
use crate::operator::{Fold, Loops, OpError, Operator, Traits};
use crate::support::{
    copy, iter, place, rearranged, require, require_arity, same_rank, scaled, types_of, with_offset,
};

string_enum! {
    /// What the padding holds.
    PadMode {
        /// One value.
        Constant = "constant",
        /// The operand mirrored at its first and last element.
        Reflect = "reflect",
        /// The nearest element.
        Edge = "edge",
        /// The operand repeated.
        Wrap = "wrap",
    }
}

/// Extends each dimension (ONNX `Pad`). Constant padding may be negative, which crops.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pad {
    /// Elements added before, per dimension.
    pub low: Vec<i64>,
    /// Elements added after, per dimension.
    pub high: Vec<i64>,
    /// The value of constant padding.
    pub value: FloatBits,
    /// What the padding holds.
    pub mode: PadMode,
}

operator_attributes!(Pad, "pad", low, high, value, mode);

impl Pad {
    /// The operand index at position `i - low` along a dimension of the given extent; `None` where
    /// the constant is.
    fn source(&self, position: i64, extent: i64) -> Option<i64> {
        match self.mode {
            PadMode::Constant => (0..extent).contains(&position).then_some(position),
            PadMode::Edge => Some(position.clamp(0, extent - 1)),
            PadMode::Wrap => Some(position.rem_euclid(extent)),
            PadMode::Reflect if extent == 1 => Some(0),
            PadMode::Reflect => {
                let period = 2 * (extent - 1);
                let folded = position.rem_euclid(period);
                Some(folded.min(period - folded))
            }
        }
    }

    /// The parts of the result along a dimension: extent, first index, and the operand's index.
    fn regions(&self, d: usize, extent: i64) -> Vec<(i64, i64, Affine)> {
        let (low, high) = (self.low[d], self.high[d]);
        let (before, after) = match self.mode {
            PadMode::Constant => {
                return vec![(low + extent + high, 0, with_offset(iter(d), -low))];
            }
            PadMode::Edge => (Affine::Const(0), Affine::Const(extent - 1)),
            PadMode::Wrap => (with_offset(iter(d), extent - low), iter(d)),
            PadMode::Reflect => {
                let backwards = |from| with_offset(scaled(iter(d), -1), from);
                (backwards(low), backwards(extent - 2))
            }
        };
        let regions = [
            (low, 0, before),
            (extent, low, iter(d)),
            (high, low + extent, after),
        ];
        regions
            .into_iter()
            .filter(|(extent, ..)| *extent > 0)
            .collect()
    }
}

impl Operator for Pad {
    named!();
    fn traits(&self) -> Traits {
        Traits {
            index_map: true,
            ..Traits::default()
        }
    }
    fn infer(&self, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError> {
        require_arity(operands.len(), 1..=1)?;
        let x = &operands[0];
        same_rank("low", &self.low, x.rank())?;
        same_rank("high", &self.high, x.rank())?;
        let mut shape = x.shape.clone();
        for (d, extent) in shape.iter_mut().enumerate() {
            let (low, high) = (self.low[d], self.high[d]);
            let limit = match self.mode {
                PadMode::Constant => i64::MAX,
                PadMode::Edge if *extent > 0 => i64::MAX,
                PadMode::Edge | PadMode::Wrap => *extent,
                PadMode::Reflect => (*extent - 1).max(0),
            };
            let constant = self.mode == PadMode::Constant;
            require(constant || (low >= 0 && high >= 0), || {
                format!(
                    "{} padding of dimension {d} must not be negative",
                    self.mode.name()
                )
            })?;
            require(low <= limit && high <= limit, || {
                format!(
                    "{} padding of dimension {d} of {x} must be at most {limit}",
                    self.mode.name()
                )
            })?;
            *extent += low + high;
            require(*extent >= 0, || {
                format!("padding crops more than dimension {d} of {x} has")
            })?;
        }
        Ok(vec![TensorType::new(x.element, shape)])
    }
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        let ty = self.infer(&types_of(operands))?.remove(0);
        let x = operands[0].ty();
        let strides = x.strides();
        let value = TensorType::new(ty.element, Vec::new());
        let value = Tensor::from_f64s(value, &[self.value.get()]);
        let at = |index: &[i64]| {
            let from: Option<Vec<i64>> = (0..index.len())
                .map(|d| self.source(index[d] - self.low[d], x.shape[d]))
                .collect();
            from.map(|from| place(&strides, from.into_iter()))
        };
        Ok(vec![rearranged(&operands[0], ty, value.bytes(), at)])
    }
    /// Constant padding is one nest with a padded read; the others have one nest per region.
    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        let ty = self.infer(operands)?.remove(0);
        let pad = (self.mode == PadMode::Constant).then_some(self.value);
        let mut parts = vec![(Vec::new(), Vec::new(), Vec::new())];
        for d in 0..ty.rank() {
            let regions = self.regions(d, operands[0].shape[d]);
            parts = parts
                .iter()
                .flat_map(|part| regions.iter().map(move |region| extend(part, d, region)))
                .collect();
        }
        let stages = parts
            .into_iter()
            .map(|(domain, from, to)| copy(&domain, &ty, (0, from), pad, (1, to)))
            .collect();
        Ok(Loops {
            temporaries: Vec::new(),
            stages,
        })
    }
    fn fold(&self, _: &[TensorType]) -> Option<Fold> {
        let none = self.low.iter().chain(&self.high).all(|&p| p == 0);
        none.then_some(Fold::Operand(0))
    }
    fn flops(&self, _: &[TensorType]) -> u64 {
        0
    }
}

/// The domain, the operand's index and the result's index of a part.
type Part = (Vec<i64>, Vec<Affine>, Vec<Affine>);

fn extend(part: &Part, d: usize, (extent, first, source): &(i64, i64, Affine)) -> Part {
    let (mut domain, mut from, mut to) = part.clone();
    domain.push(*extent);
    from.push(source.clone());
    to.push(with_offset(iter(d), *first));
    (domain, from, to)
}
