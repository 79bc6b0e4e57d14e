//! Reductions over axes.

use sinter_loops::affine::Affine;
use sinter_loops::nest::CombineFn;
use sinter_loops::scalar::{BinaryFn, Body, CompareFn, UnaryFn};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};

use crate::attr::{named, operator_attributes, string_enum};
use crate::operator::{Fold, Loops, OpError, Operator, Traits};
use crate::ops::reshape::Reshape;
use crate::support::{
    Code, Data, Point, Reduced, axis_index, broadcast_offsets, combine, count, highest, lowest,
    require, require_arity, require_float, types_of, wide,
};

string_enum! {
    /// What a reduction computes.
    ReduceKind {
        /// Sum.
        Sum = "sum",
        /// Arithmetic mean.
        Mean = "mean",
        /// Largest.
        Max = "max",
        /// Smallest.
        Min = "min",
        /// Product.
        Prod = "prod",
        /// Sum of absolute values.
        L1 = "l1",
        /// Square root of the sum of squares.
        L2 = "l2",
        /// Sum of squares.
        SumSquare = "sum_square",
        /// Logarithm of the sum of exponentials.
        LogSumExp = "log_sum_exp",
    }
}

/// Reduction over axes (ONNX `Reduce*`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reduce {
    /// What is computed.
    pub kind: ReduceKind,
    /// Axes reduced: ascending, not negative.
    pub axes: Vec<i64>,
    /// Whether reduced axes stay with extent 1.
    pub keep_dims: bool,
}

operator_attributes!(Reduce, "reduce", kind, axes, keep_dims);

impl Reduce {
    fn is_reduced(&self, d: usize) -> bool {
        self.axes.contains(&(d as i64))
    }

    /// The result's shape with reduced dimensions of extent 1.
    fn kept_shape(&self, shape: &[i64]) -> Vec<i64> {
        shape
            .iter()
            .enumerate()
            .map(|(d, &e)| if self.is_reduced(d) { 1 } else { e })
            .collect()
    }

    fn combiner(&self) -> CombineFn {
        match self.kind {
            ReduceKind::Max => CombineFn::Max,
            ReduceKind::Min => CombineFn::Min,
            ReduceKind::Prod => CombineFn::Mul,
            _ => CombineFn::Add,
        }
    }

    /// What is combined, from one element.
    fn body(&self, element: ElementType) -> Body {
        let mut code = Code::new(&[element]);
        let x = code.widen(0);
        let value = match self.kind {
            ReduceKind::L1 => code.unary(UnaryFn::Abs, x),
            ReduceKind::L2 | ReduceKind::SumSquare => code.binary(BinaryFn::Mul, x, x),
            _ => x,
        };
        code.returning(&[value])
    }

    /// The result, from what was combined over `points` elements.
    fn finish(&self, element: ElementType, points: i64) -> Body {
        let mut code = Code::new(&[wide(element)]);
        let value = match self.kind {
            ReduceKind::Mean => code.with(BinaryFn::Div, 0, points as f64),
            ReduceKind::L2 => code.unary(UnaryFn::Sqrt, 0),
            _ => 0,
        };
        let value = code.cast(element, value);
        code.returning(&[value])
    }

    /// The index of the result, from the index without the reduced dimensions.
    fn result_index(&self, rank: usize, mut kept: Vec<Affine>) -> Vec<Affine> {
        if self.keep_dims {
            for d in (0..rank).filter(|&d| self.is_reduced(d)) {
                kept.insert(d, Affine::Const(0));
            }
        }
        kept
    }

    /// The maximum first, so that no exponential overflows; 0 where it is not finite, as infinity minus
    /// infinity is no number.
    fn log_sum_exp(&self, x: &TensorType, element: ElementType) -> Loops {
        let acc = wide(element);
        let domain = Reduced::new(&x.shape, |d| self.is_reduced(d));
        let kept: Vec<i64> = domain
            .result
            .iter()
            .enumerate()
            .map(|(i, _)| domain.iters[i].extent)
            .collect();
        let mut widened = Code::new(&[element]);
        let value = widened.widen(0);
        let mut finite = Code::new(&[acc]);
        let magnitude = finite.unary(UnaryFn::Abs, 0);
        let infinity = finite.like(magnitude, f64::INFINITY);
        let is_finite = finite.compare(CompareFn::Lt, magnitude, infinity);
        let zero = finite.like(magnitude, 0.0);
        let shift = finite.select(is_finite, 0, zero);
        let largest = Point::over(domain.iters.clone())
            .read(0, domain.operand.clone())
            .body(widened.returning(&[value]))
            .combine(combine(CombineFn::Max, acc))
            .finish(finite.returning(&[shift]))
            .write(1, domain.result.clone());
        let mut body = Code::new(&[element, acc]);
        let value = body.widen(0);
        let shifted = body.binary(BinaryFn::Sub, value, 1);
        let exp = body.unary(UnaryFn::Exp, shifted);
        let mut finish = Code::new(&[acc, acc]);
        let log = finish.unary(UnaryFn::Log, 0);
        let sum = finish.binary(BinaryFn::Add, log, 1);
        let sum = finish.cast(element, sum);
        let total = Point::over(domain.iters)
            .read(0, domain.operand)
            .read(1, domain.result.clone())
            .body(body.returning(&[exp]))
            .combine(combine(CombineFn::Add, acc))
            .finish_read(1, domain.result.clone())
            .finish(finish.returning(&[sum]))
            .write(2, self.result_index(x.rank(), domain.result));
        Loops {
            temporaries: vec![TensorType::new(acc, kept)],
            stages: vec![largest.done(), total.done()],
        }
    }

    fn float(&self, values: &mut dyn Iterator<Item = f64>, points: f64) -> f64 {
        match self.kind {
            ReduceKind::Sum => values.sum(),
            ReduceKind::Mean => values.sum::<f64>() / points,
            ReduceKind::Max => values.fold(f64::NEG_INFINITY, f64::max),
            ReduceKind::Min => values.fold(f64::INFINITY, f64::min),
            ReduceKind::Prod => values.product(),
            ReduceKind::L1 => values.map(f64::abs).sum(),
            ReduceKind::L2 => values.map(|x| x * x).sum::<f64>().sqrt(),
            ReduceKind::SumSquare => values.map(|x| x * x).sum(),
            ReduceKind::LogSumExp => {
                let values: Vec<f64> = values.collect();
                let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let largest = if largest.is_finite() { largest } else { 0.0 };
                largest + values.iter().map(|x| (x - largest).exp()).sum::<f64>().ln()
            }
        }
    }

    fn integer(&self, values: &mut dyn Iterator<Item = i64>, points: i64, ty: ElementType) -> i64 {
        let sum = |values: &mut dyn Iterator<Item = i64>| values.fold(0, i64::wrapping_add);
        match self.kind {
            ReduceKind::Sum => sum(values),
            ReduceKind::Mean => sum(values).checked_div(points).unwrap_or(0),
            ReduceKind::Max => values.fold(lowest(ty) as i64, i64::max),
            ReduceKind::Min => values.fold(highest(ty) as i64, i64::min),
            ReduceKind::Prod => values.fold(1, i64::wrapping_mul),
            ReduceKind::L1 => sum(&mut values.map(i64::wrapping_abs)),
            _ => sum(&mut values.map(|x| x.wrapping_mul(x))),
        }
    }
}

impl Operator for Reduce {
    named!();
    fn traits(&self) -> Traits {
        Traits {
            reduction: true,
            ..Traits::default()
        }
    }
    fn infer(&self, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError> {
        require_arity(operands.len(), 1..=1)?;
        let x = &operands[0];
        require(x.element != ElementType::Bool, || {
            format!("needs an operand of numbers, not {x}")
        })?;
        if matches!(self.kind, ReduceKind::L2 | ReduceKind::LogSumExp) {
            require_float(x)?;
        }
        for &axis in &self.axes {
            axis_index(axis, x.rank())?;
        }
        require(self.axes.is_sorted_by(|a, b| a < b), || {
            format!("axes {:?} are not ascending and distinct", self.axes)
        })?;
        let mut shape = self.kept_shape(&x.shape);
        if !self.keep_dims {
            shape = (0..x.rank())
                .filter(|&d| !self.is_reduced(d))
                .map(|d| x.shape[d])
                .collect();
        }
        Ok(vec![TensorType::new(x.element, shape)])
    }
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        let ty = self.infer(&types_of(operands))?.remove(0);
        let shape = &operands[0].ty().shape;
        let groups = groups(shape, &self.kept_shape(shape));
        let data = match Data::of(&operands[0]) {
            Data::Float(x) => Data::Float(
                groups
                    .iter()
                    .map(|g| self.float(&mut g.iter().map(|&i| x[i]), g.len() as f64))
                    .collect(),
            ),
            Data::Int(x) => Data::Int(
                groups
                    .iter()
                    .map(|g| self.integer(&mut g.iter().map(|&i| x[i]), g.len() as i64, ty.element))
                    .collect(),
            ),
        };
        Ok(vec![data.tensor(ty)])
    }
    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        let element = self.infer(operands)?.remove(0).element;
        let x = &operands[0];
        if self.kind == ReduceKind::LogSumExp && !self.axes.is_empty() {
            return Ok(self.log_sum_exp(x, element));
        }
        let domain = Reduced::new(&x.shape, |d| self.is_reduced(d));
        let points = self.axes.iter().map(|&a| x.shape[a as usize]).product();
        let mut nest = Point::over(domain.iters)
            .read(0, domain.operand)
            .body(self.body(element))
            .finish(self.finish(element, points))
            .write(1, self.result_index(x.rank(), domain.result));
        if !self.axes.is_empty() {
            nest = nest.combine(combine(self.combiner(), wide(element)));
        }
        Ok(Loops::one(nest.done()))
    }
    fn fold(&self, operands: &[TensorType]) -> Option<Fold> {
        let passes = matches!(
            self.kind,
            ReduceKind::Sum
                | ReduceKind::Mean
                | ReduceKind::Max
                | ReduceKind::Min
                | ReduceKind::Prod
        );
        let x = operands.first()?;
        if !passes
            || !self
                .axes
                .iter()
                .all(|&a| x.shape.get(a as usize) == Some(&1))
        {
            return None;
        }
        if self.keep_dims || self.axes.is_empty() {
            return Some(Fold::Operand(0));
        }
        let shape = self.infer(operands).ok()?.remove(0).shape;
        Some(Fold::Op(Box::new(Reshape { shape }.into()), vec![0]))
    }
    fn flops(&self, operands: &[TensorType]) -> u64 {
        operands.first().map_or(0, |t| t.elements() as u64)
    }
}

/// For every element of the result, the row-major operand elements it combines.
fn groups(shape: &[i64], kept: &[i64]) -> Vec<Vec<usize>> {
    let mut groups = vec![Vec::new(); count(kept)];
    for (element, group) in broadcast_offsets(kept, shape).into_iter().enumerate() {
        groups[group].push(element);
    }
    groups
}
