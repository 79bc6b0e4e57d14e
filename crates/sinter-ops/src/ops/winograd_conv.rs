//! Convolution by short products along one dimension (Toom and Cook; Winograd).

use sinter_loops::nest::{Iter, Nest};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;

use crate::attr::{named, operator_attributes};
use crate::operator::{Loops, OpError, Operator, Traits};
use crate::support::{
    Point, affine, contraction, contraction_finish, err, floats, from_floats, iter, one_dtype,
    require, require_arity, require_float, types_of,
};

/// Convolution of `x[n, ci, h, w]` in which `m` rows of the result come from `t` rows of `x` by `k` products each: `forward[k, t]` combines rows of `x`, `w[k, co, ci, s]` convolves the combinations along `w`, `backward[m, k]` combines the products; with an optional `bias[co]`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WinogradConv {
    /// Padding before the rows and columns of `x`, then padding after each.
    pub pads: Vec<i64>,
}

operator_attributes!(WinogradConv, "winograd_conv", pads);

/// Extents of one such convolution.
struct Extents {
    batch: i64,
    inputs: i64,
    outputs: i64,
    /// Rows and columns of `x`.
    input: [i64; 2],
    /// Columns of the result.
    columns: i64,
    /// Tiles of rows.
    tiles: i64,
    /// Rows of the result per tile.
    rows: i64,
    /// Rows of `x` per tile.
    taken: i64,
    products: i64,
    taps: i64,
}

impl WinogradConv {
    fn extents(&self, operands: &[TensorType]) -> Result<Extents, OpError> {
        require_arity(operands.len(), 4..=5)?;
        one_dtype(&operands.iter().collect::<Vec<_>>())?;
        let (x, w) = (&operands[0], &operands[1]);
        let (forward, backward) = (&operands[2], &operands[3]);
        require_float(x)?;
        require(x.rank() == 4 && w.rank() == 4, || {
            format!("input {x} and weights {w} must have four dimensions")
        })?;
        require(forward.rank() == 2 && backward.rank() == 2, || {
            format!("{forward} and {backward} must be matrices")
        })?;
        require(
            self.pads.len() == 4 && self.pads.iter().all(|&p| p >= 0),
            || "pads must be four numbers that are not negative".into(),
        )?;
        let products = w.shape[0];
        let alike = forward.shape[0] == products && backward.shape[1] == products;
        require(alike, || {
            format!("{forward} and {backward} do not combine the {products} products of {w}")
        })?;
        require(x.shape[1] == w.shape[2], || {
            format!(
                "input {x} has {} channels, but weights {w} take {}",
                x.shape[1], w.shape[2]
            )
        })?;
        if let Some(bias) = operands.get(4).filter(|b| b.shape != [w.shape[1]]) {
            return err(format!(
                "bias {bias} is not one value per output channel ({})",
                w.shape[1]
            ));
        }
        let (rows, taken) = (backward.shape[0], forward.shape[1]);
        require(0 < rows && rows <= taken, || {
            format!("{taken} rows do not give {rows}")
        })?;
        let padded = |d: usize| {
            let sum = x.shape[2 + d].checked_add(self.pads[d]);
            sum.and_then(|n| n.checked_add(self.pads[2 + d]))
                .ok_or_else(|| OpError("pads are too large".into()))
        };
        let (height, columns) = (padded(0)? - (taken - rows), padded(1)? - (w.shape[3] - 1));
        require(height > 0 && columns > 0, || {
            format!("weights {w} leave no output of {x}")
        })?;
        require(height % rows == 0, || {
            format!("{height} rows are not tiles of {rows}")
        })?;
        Ok(Extents {
            batch: x.shape[0],
            inputs: x.shape[1],
            outputs: w.shape[1],
            input: [x.shape[2], x.shape[3]],
            columns,
            tiles: height / rows,
            rows,
            taken,
            products,
            taps: w.shape[3],
        })
    }
}

impl Extents {
    /// Combinations of rows: `[n, tile, k, column, ci]`.
    fn combined(&self) -> [i64; 5] {
        [
            self.batch,
            self.tiles,
            self.products,
            self.input[1],
            self.inputs,
        ]
    }

    /// Products: `[n, tile, k, column, co]`.
    fn multiplied(&self) -> [i64; 5] {
        [
            self.batch,
            self.tiles,
            self.products,
            self.columns,
            self.outputs,
        ]
    }

    fn result(&self) -> [i64; 4] {
        [
            self.batch,
            self.outputs,
            self.tiles * self.rows,
            self.columns,
        ]
    }

    fn combining(&self, ty: &TensorType, top: i64, slot: usize) -> Nest {
        let mut iters: Vec<_> = self.combined().into_iter().map(Iter::parallel).collect();
        iters.push(Iter::reduction(self.taken));
        let row = affine(&[(1, self.rows), (5, 1)], -top, &iters);
        let inside = row.range(&extents(&iters)).is_inside(self.input[0]);
        let x = vec![iter(0), iter(4), row, iter(3)];
        let nest = Point::over(iters).read_padded(0, x, (!inside).then_some(0.0));
        contraction(nest.read(2, vec![iter(2), iter(5)]), ty.element)
            .finish(contraction_finish(ty.element, false))
            .write(slot, (0..5).map(iter).collect())
            .done()
    }

    fn multiplying(&self, ty: &TensorType, left: i64, slot: usize) -> Nest {
        let mut iters: Vec<_> = self.multiplied().into_iter().map(Iter::parallel).collect();
        iters.push(Iter::reduction(self.taps));
        iters.push(Iter::reduction(self.inputs));
        let column = affine(&[(3, 1), (5, 1)], -left, &iters);
        let inside = column.range(&extents(&iters)).is_inside(self.input[1]);
        let x = vec![iter(0), iter(1), iter(2), column, iter(6)];
        let nest = Point::over(iters).read_padded(slot, x, (!inside).then_some(0.0));
        let w = vec![iter(2), iter(4), iter(6), iter(5)];
        contraction(nest.read(1, w), ty.element)
            .finish(contraction_finish(ty.element, false))
            .write(slot + 1, (0..5).map(iter).collect())
            .done()
    }

    fn adding(&self, ty: &TensorType, bias: bool, slot: usize) -> Nest {
        let shape = [
            self.batch,
            self.outputs,
            self.tiles,
            self.rows,
            self.columns,
        ];
        let mut iters: Vec<_> = shape.into_iter().map(Iter::parallel).collect();
        iters.push(Iter::reduction(self.products));
        let y = vec![
            iter(0),
            iter(1),
            affine(&[(2, self.rows), (3, 1)], 0, &iters),
            iter(4),
        ];
        let nest = Point::over(iters)
            .read(slot + 1, vec![iter(0), iter(2), iter(5), iter(4), iter(1)])
            .read(3, vec![iter(3), iter(5)]);
        let mut nest = contraction(nest, ty.element);
        if bias {
            nest = nest.finish_read(4, vec![iter(1)]);
        }
        nest.finish(contraction_finish(ty.element, bias))
            .write(slot + 2, y)
            .done()
    }
}

fn extents(iters: &[Iter]) -> Vec<i64> {
    iters.iter().map(|i| i.extent).collect()
}

/// `out[i][j] += factor * from[j]` for rows of equal length.
fn add_scaled(out: &mut [f64], factor: f64, from: &[f64]) {
    if factor != 0.0 {
        out.iter_mut().zip(from).for_each(|(o, f)| *o += factor * f);
    }
}

impl Operator for WinogradConv {
    named!();
    fn traits(&self) -> Traits {
        Traits {
            contraction: true,
            reduction: true,
            ..Traits::default()
        }
    }
    fn infer(&self, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError> {
        let e = self.extents(operands)?;
        Ok(vec![TensorType::new(operands[0].element, e.result())])
    }
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        let types = types_of(operands);
        let ty = self.infer(&types)?.remove(0);
        let e = self.extents(&types)?;
        let [x, w, forward, backward] = [0, 1, 2, 3].map(|i| floats(&operands[i]));
        let bias = operands.get(4).map(floats);
        let size = |n: i64| n as usize;
        let (height, width, columns) = (size(e.input[0]), size(e.input[1]), size(e.columns));
        let (top, left) = (size(self.pads[0]), size(self.pads[1]));
        let (products, taps) = (size(e.products), size(e.taps));
        let (taken, rows) = (size(e.taken), size(e.rows));
        let (inputs, outputs, tiles) = (size(e.inputs), size(e.outputs), size(e.tiles));
        let mut y = vec![0.0; ty.elements() as usize];
        for (place, y) in y.chunks_exact_mut(columns).enumerate() {
            let (row, place) = (place % (tiles * rows), place / (tiles * rows));
            let (tile, row) = (row / rows, row % rows);
            let (n, co) = (place / outputs, place % outputs);
            for k in 0..products {
                let mut product = vec![0.0; columns];
                for ci in 0..inputs {
                    // The combined row with the padding around it.
                    let mut combined = vec![0.0; columns + taps - 1];
                    for j in 0..taken {
                        let Some(h) = (tile * rows + j).checked_sub(top).filter(|h| *h < height)
                        else {
                            continue;
                        };
                        let from = &x[((n * inputs + ci) * height + h) * width..][..width];
                        add_scaled(&mut combined[left..], forward[k * taken + j], from);
                    }
                    for s in 0..taps {
                        let factor = w[((k * outputs + co) * inputs + ci) * taps + s];
                        add_scaled(&mut product, factor, &combined[s..]);
                    }
                }
                add_scaled(y, backward[row * products + k], &product);
            }
            if let Some(bias) = &bias {
                y.iter_mut().for_each(|y| *y += bias[co]);
            }
        }
        Ok(vec![from_floats(ty, &y)])
    }
    /// Three stages over the same tiles of rows: combine rows, multiply, combine products.
    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        let e = self.extents(operands)?;
        let (ty, slot) = (&operands[0], operands.len());
        Ok(Loops {
            temporaries: vec![
                TensorType::new(ty.element, e.combined()),
                TensorType::new(ty.element, e.multiplied()),
            ],
            stages: vec![
                e.combining(ty, self.pads[0], slot),
                e.multiplying(ty, self.pads[1], slot),
                e.adding(ty, slot == 5, slot),
            ],
        })
    }
    fn flops(&self, operands: &[TensorType]) -> u64 {
        let Ok(e) = self.extents(operands) else {
            return 0;
        };
        let points = |shape: &[i64]| shape.iter().product::<i64>();
        let combining = points(&e.combined()) * e.taken;
        let multiplying = points(&e.multiplied()) * e.inputs * e.taps;
        let adding = points(&e.result()) * e.products;
        2 * (combining + multiplying + adding) as u64
    }
}
