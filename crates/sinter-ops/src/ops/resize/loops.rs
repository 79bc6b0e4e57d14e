//! Resampling as loop nests.
//!
//! The input index of an output index is a table; it is affine with a floor division wherever a
//! division by a small extent or scale reproduces the whole table, which is checked entry by entry.

use sinter_loops::affine::Affine;
use sinter_loops::scalar::{BinaryFn, Reg, UnaryFn};
use sinter_loops::types::{ElementType, TensorType};

use super::Resize;
use super::line::Line;
use crate::operator::{Loops, OpError};
use crate::support::{Code, Point, copy, err, identity, iter, scaled, with_offset};

/// The largest numerator and denominator tried for a scale that is no quotient of the extents.
const LARGEST_RATIO: i64 = 64;

/// Reads the nearest element.
pub(super) fn nearest(op: &Resize, x: &TensorType) -> Result<Loops, OpError> {
    let ty = TensorType::new(x.element, op.shape.clone());
    let from = (0..x.rank())
        .map(|d| {
            if op.keeps(d, x.shape[d]) {
                return Ok(iter(d));
            }
            let line = op.line(d, x.shape[d]);
            let table: Vec<i64> = (0..line.output)
                .map(|i| line.nearest(i, op.rounding))
                .collect();
            table_index(d, &line, &table)
        })
        .collect::<Result<_, _>>()?;
    Ok(Loops::one(copy(
        &ty.shape,
        &ty,
        (0, from),
        None,
        (1, identity(ty.rank())),
    )))
}

/// Weighs the two neighbours along each resized dimension. A neighbour outside the input is read as 0
/// and has no weight.
pub(super) fn linear(op: &Resize, x: &TensorType) -> Result<Loops, OpError> {
    let element = x.element;
    let resized: Vec<usize> = (0..x.rank())
        .filter(|&d| !op.keeps(d, x.shape[d]))
        .collect();
    let mut corners = vec![identity(x.rank())];
    for &d in &resized {
        let line = op.line(d, x.shape[d]);
        let table: Vec<i64> = (0..line.output)
            .map(|i| line.coordinate(i).floor() as i64)
            .collect();
        if table.iter().any(|&low| low < -1 || low >= line.input) {
            return err(format!(
                "linear resampling of dimension {d} reaches too far outside"
            ));
        }
        let low = table_index(d, &line, &table)?;
        let high = with_offset(low.clone(), 1);
        corners = corners
            .into_iter()
            .flat_map(|corner| {
                [&low, &high].map(|index| {
                    let mut corner = corner.clone();
                    corner[d] = index.clone();
                    corner
                })
            })
            .collect();
    }
    let mut code = Code::new(&vec![element; corners.len()]);
    let mut values: Vec<Reg> = (0..corners.len()).map(|i| code.widen(i)).collect();
    // The last dimension's neighbours lie side by side.
    for &d in resized.iter().rev() {
        let weight = high_weight(&mut code, d, &op.line(d, x.shape[d]));
        let weight = code.cast(code.ty(values[0]), weight);
        let one = code.like(weight, 1.0);
        let rest = code.binary(BinaryFn::Sub, one, weight);
        values = values
            .chunks(2)
            .map(|pair| {
                let low = code.binary(BinaryFn::Mul, pair[0], rest);
                let high = code.binary(BinaryFn::Mul, pair[1], weight);
                code.binary(BinaryFn::Add, low, high)
            })
            .collect();
    }
    let result = code.cast(element, values[0]);
    let mut nest = Point::parallel(&op.shape);
    let pad = (!resized.is_empty()).then_some(0.0);
    for corner in corners {
        nest = nest.read_padded(0, corner, pad);
    }
    let nest = nest
        .body(code.returning(&[result]))
        .pass(element)
        .write(1, identity(op.shape.len()));
    Ok(Loops::one(nest.done()))
}

/// The weight of the upper neighbour: the coordinate, kept inside, minus its floor.
fn high_weight(code: &mut Code, d: usize, line: &Line) -> Reg {
    let steps = line.steps();
    let position = code.index(d);
    let mut x = code.cast(ElementType::F32, position);
    for (function, value, neutral) in [
        (BinaryFn::Add, steps.before, 0.0),
        (BinaryFn::Mul, steps.factor, 1.0),
        (BinaryFn::Div, steps.divisor, 1.0),
        (BinaryFn::Add, steps.after, 0.0),
    ] {
        if value != neutral {
            x = code.with(function, x, f64::from(value));
        }
    }
    let low = code.unary(UnaryFn::Floor, x);
    let inside = code.with(BinaryFn::Max, x, 0.0);
    let inside = code.with(BinaryFn::Min, inside, (line.input - 1) as f64);
    code.binary(BinaryFn::Sub, inside, low)
}

/// `(a * i + b) floordiv c` that gives the table, of iterator `d`.
fn table_index(d: usize, line: &Line, table: &[i64]) -> Result<Affine, OpError> {
    if table.iter().all(|&t| t == table[0]) {
        return Ok(Affine::Const(table[0]));
    }
    for (a, c) in slopes(line) {
        let places = || table.iter().zip(0i64..);
        let least = places().map(|(t, i)| t * c - a * i).max();
        let most = places().map(|(t, i)| t * c + c - 1 - a * i).min();
        if let (Some(least), Some(most)) = (least, most)
            && least <= most
        {
            let dividend = with_offset(scaled(iter(d), a), 0i64.clamp(least, most));
            return Ok(if c == 1 {
                dividend
            } else {
                Affine::FloorDiv(Box::new(dividend), c)
            });
        }
    }
    err(format!(
        "resampling of dimension {d} from {} to {} by {} has no loop form: its indices are not those \
         of a division; export the model with a whole scale, or with sizes instead of scales",
        line.input, line.output, line.scale
    ))
}

/// Input steps per output step, as `(numerator, denominator)`, most likely and simplest first.
fn slopes(line: &Line) -> Vec<(i64, i64)> {
    let mut slopes = vec![(line.input, line.output), (line.input - 1, line.output - 1)];
    let close = |p: i64, q: i64| (line.scale - p as f64 / q as f64).abs() < 1e-6 * line.scale;
    for q in 1..=LARGEST_RATIO {
        let p = (line.scale * q as f64).round() as i64;
        if (1..=LARGEST_RATIO).contains(&p) && close(p, q) {
            slopes.push((q, p));
            break;
        }
    }
    let reduced = slopes
        .into_iter()
        .filter(|&(a, c)| a > 0 && c > 0)
        .map(|(a, c)| {
            let divisor = gcd(a, c);
            (a / divisor, c / divisor)
        });
    reduced
        .flat_map(|(a, c)| [(a, c), (2 * a, 2 * c)])
        .collect()
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::super::{Coordinates, ResizeMode, Rounding};
    use super::*;
    use crate::operator::Operator;
    use sinter_loops::scalar::FloatBits;

    fn upscale(coordinates: Coordinates, rounding: Rounding) -> String {
        let op = Resize {
            mode: ResizeMode::Nearest,
            coordinates,
            rounding,
            shape: vec![1, 8, 20],
            scales: vec![],
            cubic_coefficient: FloatBits::new(-0.75),
            exclude_outside: false,
        };
        let loops = op.loops(&[TensorType::f32([1, 8, 10])]).expect("has loops");
        let index = &loops.stages[0].reads[0].index;
        assert_eq!(index[..2], [iter(0), iter(1)]);
        index[2].to_string()
    }

    #[test]
    fn an_integer_scale_is_one_division() {
        let floor = upscale(Coordinates::Asymmetric, Rounding::Floor);
        assert_eq!(floor, "d2 floordiv 2");
        let half = upscale(Coordinates::HalfPixel, Rounding::RoundPreferFloor);
        assert_eq!(half, "d2 floordiv 2");
    }
}
