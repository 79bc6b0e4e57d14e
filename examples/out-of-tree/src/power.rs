//! `dsp.power`: the mean of squares along an axis.

use sinter_loops::affine::Affine;
use sinter_loops::nest::CombineFn;
use sinter_loops::scalar::BinaryFn;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;
use sinter_ops::operator::Fold;
use sinter_ops::ops::binary::Binary;
use sinter_ops::support::{
    Code, Point, Reduced, axis_index, combine, floats, from_floats, require, require_arity,
    require_float, types_of, wide,
};
use sinter_ops::{Loops, OpError, Operator, Traits};

/// The mean of squares along an axis, which stays with one element.
#[derive(Clone, Debug)]
pub struct Power {
    /// Axis, not negative.
    pub axis: i64,
}

sinter_ops::custom_operator!(Power, "dsp.power", axis);

impl Operator for Power {
    sinter_ops::named!();

    fn traits(&self) -> Traits {
        Traits {
            reduction: true,
            ..Traits::default()
        }
    }

    fn infer(&self, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError> {
        require_arity(operands.len(), 1..=1)?;
        require_float(&operands[0])?;
        let mut shape = operands[0].shape.clone();
        let axis = axis_index(self.axis, shape.len())?;
        require(shape[axis] > 0, || {
            format!("takes the mean of nothing along axis {axis}")
        })?;
        shape[axis] = 1;
        Ok(vec![TensorType::new(operands[0].element, shape)])
    }

    /// The mean of one square is that square.
    fn fold(&self, operands: &[TensorType]) -> Option<Fold> {
        let square = Binary {
            kind: BinaryFn::Mul,
        };
        let extent = *operands.first()?.shape.get(self.axis as usize)?;
        (extent == 1).then(|| Fold::Op(Box::new(square.into()), vec![0, 0]))
    }

    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        let ty = self.infer(&types_of(operands))?.remove(0);
        let shape = &operands[0].ty().shape;
        let axis = self.axis as usize;
        let extent = shape[axis] as usize;
        let inner = shape[axis + 1..].iter().product::<i64>() as usize;
        let values = floats(&operands[0]);
        let mut means = vec![0.0; values.len() / extent];
        for (i, x) in values.into_iter().enumerate() {
            means[i / (extent * inner) * inner + i % inner] += x * x / extent as f64;
        }
        Ok(vec![from_floats(ty, &means)])
    }

    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        self.infer(operands)?;
        let (element, shape) = (operands[0].element, &operands[0].shape);
        let (acc, axis) = (wide(element), self.axis as usize);
        let domain = Reduced::new(shape, |d| d == axis);
        let mut index = domain.result;
        index.insert(axis, Affine::Const(0));

        let mut square = Code::new(&[element]);
        let x = square.widen(0);
        let product = square.binary(BinaryFn::Mul, x, x);
        let mut mean = Code::new(&[acc]);
        let scaled = mean.with(BinaryFn::Mul, 0, 1.0 / shape[axis] as f64);
        let result = mean.cast(element, scaled);
        let nest = Point::over(domain.iters)
            .read(0, domain.operand)
            .body(square.returning(&[product]))
            .combine(combine(CombineFn::Add, acc))
            .finish(mean.returning(&[result]))
            .write(1, index);
        Ok(Loops::one(nest.done()))
    }

    fn flops(&self, operands: &[TensorType]) -> u64 {
        operands.first().map_or(0, |t| 2 * t.elements() as u64)
    }
}
