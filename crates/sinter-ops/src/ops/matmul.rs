//! Batched matrix product.

use sinter_loops::nest::Iter;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;

use crate::attr::{named, operator_attributes};
use crate::operator::{Loops, OpError, Operator, Traits};
use crate::support::{
    Data, Point, broadcast, broadcast_index, broadcast_offsets, contraction_finish, contraction_of,
    count, err, identity, iter, product_type, require, require_arity, types_of, wide,
};

/// Matrix product with numpy rules: batch dimensions broadcast, one-dimensional operands are promoted (ONNX `MatMul`).
/// Products of 8-bit integers, of either sign, are added as `i32`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Matmul {}

operator_attributes!(Matmul, "matmul");

/// The shapes of a product after promotion of one-dimensional operands.
struct Shapes {
    batch: Vec<i64>,
    left: Vec<i64>,
    right: Vec<i64>,
    /// Rows; `None` when the left operand is one-dimensional.
    m: Option<i64>,
    k: i64,
    /// Columns; `None` when the right operand is one-dimensional.
    n: Option<i64>,
}

impl Shapes {
    fn new(left: &TensorType, right: &TensorType) -> Result<Self, OpError> {
        let (l, r) = (&left.shape, &right.shape);
        require(!l.is_empty() && !r.is_empty(), || {
            "does not take scalars".into()
        })?;
        let (left_batch, m) = match l.len() {
            1 => (&l[..0], None),
            rank => (&l[..rank - 2], Some(l[rank - 2])),
        };
        let (right_batch, k, n) = match r.len() {
            1 => (&r[..0], r[0], None),
            rank => (&r[..rank - 2], r[rank - 2], Some(r[rank - 1])),
        };
        require(l[l.len() - 1] == k, || {
            format!(
                "inner extents differ: {left} has {}, {right} has {k}",
                l[l.len() - 1]
            )
        })?;
        let batch = broadcast(&[left_batch, right_batch])?;
        Ok(Self {
            batch,
            left: left_batch.to_vec(),
            right: right_batch.to_vec(),
            m,
            k,
            n,
        })
    }

    fn result(&self) -> Vec<i64> {
        self.batch
            .iter()
            .copied()
            .chain(self.m)
            .chain(self.n)
            .collect()
    }
}

/// `out[m, n] += a[m, k] * b[k, n]` over row-major slices.
fn multiply(out: &mut [f64], a: &[f64], b: &[f64], k: usize, n: usize) {
    for (row, a) in out.chunks_exact_mut(n).zip(a.chunks_exact(k)) {
        for (&a, b) in a.iter().zip(b.chunks_exact(n)) {
            for (out, &b) in row.iter_mut().zip(b) {
                *out += a * b;
            }
        }
    }
}

fn multiply_integers(out: &mut [i64], a: &[i64], b: &[i64], k: usize, n: usize) {
    for (row, a) in out.chunks_exact_mut(n).zip(a.chunks_exact(k)) {
        for (&a, b) in a.iter().zip(b.chunks_exact(n)) {
            for (out, &b) in row.iter_mut().zip(b) {
                *out = out.wrapping_add(a.wrapping_mul(b));
            }
        }
    }
}

impl Operator for Matmul {
    named!();
    fn traits(&self) -> Traits {
        Traits {
            contraction: true,
            reduction: true,
            ..Traits::default()
        }
    }
    fn infer(&self, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError> {
        require_arity(operands.len(), 2..=2)?;
        let element = product_type(&operands[0], &operands[1])?;
        let shapes = Shapes::new(&operands[0], &operands[1])?;
        Ok(vec![TensorType::new(element, shapes.result())])
    }
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        let ty = self.infer(&types_of(operands))?.remove(0);
        let s = Shapes::new(operands[0].ty(), operands[1].ty())?;
        let (m, k, n) = (
            s.m.unwrap_or(1) as usize,
            s.k as usize,
            s.n.unwrap_or(1) as usize,
        );
        let places: Vec<_> = broadcast_offsets(&s.left, &s.batch)
            .into_iter()
            .zip(broadcast_offsets(&s.right, &s.batch))
            .enumerate()
            .filter(|_| m * k * n > 0)
            .map(|(o, (l, r))| {
                (
                    o * m * n..(o + 1) * m * n,
                    l * m * k..(l + 1) * m * k,
                    r * k * n..(r + 1) * k * n,
                )
            })
            .collect();
        let data = match (Data::of(&operands[0]), Data::of(&operands[1])) {
            (Data::Float(a), Data::Float(b)) => {
                let mut out = vec![0.0; count(&ty.shape)];
                for (o, l, r) in places {
                    multiply(&mut out[o], &a[l], &b[r], k, n);
                }
                Data::Float(out)
            }
            (Data::Int(a), Data::Int(b)) => {
                let mut out = vec![0; count(&ty.shape)];
                for (o, l, r) in places {
                    multiply_integers(&mut out[o], &a[l], &b[r], k, n);
                }
                Data::Int(out)
            }
            _ => return err("operands mix floats and integers"),
        };
        Ok(vec![data.tensor(ty)])
    }
    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        let ty = self.infer(operands)?.remove(0);
        let s = Shapes::new(&operands[0], &operands[1])?;
        let mut iters: Vec<Iter> = ty.shape.iter().map(|&e| Iter::parallel(e)).collect();
        let k = iters.len();
        iters.push(Iter::reduction(s.k));
        let batch = s.batch.len();
        let mut left = broadcast_index(&s.left, &s.batch);
        left.extend(s.m.map(|_| iter(batch)));
        left.push(iter(k));
        let mut right = broadcast_index(&s.right, &s.batch);
        right.push(iter(k));
        right.extend(s.n.map(|_| iter(k - 1)));
        let nest = Point::over(iters).read(0, left).read(1, right);
        let (left, right) = (operands[0].element, operands[1].element);
        let nest = contraction_of(nest, left, right, wide(ty.element))
            .finish(contraction_finish(ty.element, false))
            .write(2, identity(k));
        Ok(Loops::one(nest.done()))
    }
    fn flops(&self, operands: &[TensorType]) -> u64 {
        let k = operands
            .first()
            .and_then(|t| t.shape.last())
            .copied()
            .unwrap_or(0);
        self.infer(operands)
            .map_or(0, |t| 2 * (t[0].elements() * k) as u64)
    }
}
