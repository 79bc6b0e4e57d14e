//! Operators that move elements.

use sinter_loops::scalar::FloatBits;
use sinter_loops::types::ElementType::{Bool, F16, F32, I64};
use sinter_ops::ops::concat::Concat;
use sinter_ops::ops::expand::Expand;
use sinter_ops::ops::gather::Gather;
use sinter_ops::ops::gather_elements::GatherElements;
use sinter_ops::ops::pad::{Pad, PadMode};
use sinter_ops::ops::reshape::Reshape;
use sinter_ops::ops::slice::Slice;
use sinter_ops::ops::transpose::Transpose;

use crate::{Draw, agrees};

#[test]
fn transpose() {
    let mut draw = Draw::new("transpose");
    for _ in 0..40 {
        let rank = draw.usize(0, 5);
        let shape = draw.shape(rank);
        let mut perm: Vec<i64> = (0..rank as i64).collect();
        for d in (1..rank).rev() {
            perm.swap(d, draw.usize(0, d));
        }
        let element = draw.of(&[F32, F16, I64, Bool]);
        agrees(
            Transpose { perm },
            &[draw.tensor(element, &shape, 0.0, 2.0)],
        );
    }
}

#[test]
fn reshape() {
    let mut draw = Draw::new("reshape");
    let shapes: [&[i64]; 9] = [
        &[60],
        &[3, 4, 5],
        &[12, 5],
        &[3, 20],
        &[1, 3, 1, 20],
        &[5, 12],
        &[2, 2, 15],
        &[6, 10],
        &[10, 6, 1],
    ];
    for from in shapes {
        for to in shapes {
            agrees(Reshape { shape: to.to_vec() }, &[draw.f32(from)]);
        }
    }
    agrees(Reshape { shape: vec![] }, &[draw.f32(&[1, 1])]);
    agrees(Reshape { shape: vec![1] }, &[draw.f32(&[])]);
}

#[test]
fn expand() {
    let mut draw = Draw::new("expand");
    for _ in 0..30 {
        let rank = draw.usize(0, 4);
        let shape = draw.shape(rank);
        let from = draw.narrower(&shape);
        agrees(Expand { shape }, &[draw.f32(&from)]);
    }
}

#[test]
fn slice() {
    let mut draw = Draw::new("slice");
    for _ in 0..60 {
        let rank = draw.usize(0, 4);
        let shape = draw.shape(rank);
        let (mut starts, mut sizes, mut steps) = (vec![], vec![], vec![]);
        for &extent in &shape {
            let step: i64 = draw.of(&[1, 1, 2, -1, -2]);
            let start = draw.int(0, extent - 1);
            let room = if step > 0 { extent - 1 - start } else { start };
            starts.push(start);
            sizes.push(draw.int(1, room / step.abs() + 1));
            steps.push(step);
        }
        agrees(
            Slice {
                starts,
                sizes,
                steps,
            },
            &[draw.f32(&shape)],
        );
    }
}

#[test]
fn concat() {
    let mut draw = Draw::new("concat");
    for _ in 0..40 {
        let rank = draw.usize(1, 4);
        let axis = draw.usize(0, rank - 1);
        let shape = draw.shape(rank);
        let parts = draw.usize(1, 4);
        let operands: Vec<_> = (0..parts)
            .map(|_| {
                let mut shape = shape.clone();
                shape[axis] = draw.int(1, 4);
                draw.f32(&shape)
            })
            .collect();
        agrees(Concat { axis: axis as i64 }, &operands);
    }
}

#[test]
fn pad() {
    let mut draw = Draw::new("pad");
    for &mode in PadMode::ALL {
        for _ in 0..25 {
            let rank = draw.usize(1, 3);
            let shape: Vec<i64> = (0..rank).map(|_| draw.int(3, 5)).collect();
            let least = if mode == PadMode::Constant { -1 } else { 0 };
            let mut amounts = || (0..rank).map(|_| draw.int(least, 2)).collect();
            let (low, high) = (amounts(), amounts());
            let op = Pad {
                low,
                high,
                value: FloatBits::new(1.5),
                mode,
            };
            let element = draw.of(&[F32, F16, I64]);
            agrees(op, &[draw.tensor(element, &shape, -5.0, 5.0)]);
        }
    }
}

#[test]
fn gather() {
    let mut draw = Draw::new("gather");
    for _ in 0..30 {
        let rank = draw.usize(1, 3);
        let shape = draw.shape(rank);
        let axis = draw.usize(0, rank - 1);
        let extent = shape[axis] as f64;
        let indexed = draw.usize(0, 2);
        let index_shape = draw.shape(indexed);
        let element = draw.of(&[F32, I64, Bool]);
        let data = draw.tensor(element, &shape, 0.0, 2.0);
        let indices = draw.tensor(I64, &index_shape, -extent, extent);
        agrees(Gather { axis: axis as i64 }, &[data.clone(), indices]);
        let mut index_shape = shape.clone();
        index_shape[axis] = draw.int(1, 6);
        let indices = draw.tensor(I64, &index_shape, -extent, extent);
        agrees(GatherElements { axis: axis as i64 }, &[data, indices]);
    }
}
