//! Contractions and windows.

use sinter_loops::tensor::Tensor;
use sinter_loops::types::ElementType::{F16, F32, F64, I8, I32, U8};
use sinter_ops::ops::conv::Conv;
use sinter_ops::ops::conv_transpose::ConvTranspose;
use sinter_ops::ops::matmul::Matmul;
use sinter_ops::ops::pool::{Pool, PoolKind};
use sinter_ops::ops::winograd_conv::WinogradConv;
use sinter_ops::{Op, Operator};

use crate::{Draw, agrees};

#[test]
fn matmul() {
    let mut draw = Draw::new("matmul");
    let shapes: [(&[i64], &[i64]); 8] = [
        (&[3, 4], &[4, 5]),
        (&[4], &[4]),
        (&[4], &[4, 5]),
        (&[3, 4], &[4]),
        (&[2, 3, 4], &[4, 5]),
        (&[2, 1, 3, 4], &[5, 4, 2]),
        (&[4], &[2, 4, 3]),
        (&[2, 2, 3, 4], &[4]),
    ];
    for (left, right) in shapes {
        for element in [F32, F64, F16, I32] {
            let a = draw.tensor(element, left, -3.0, 3.0);
            let b = draw.tensor(element, right, -3.0, 3.0);
            agrees(Matmul {}, &[a, b]);
        }
        for (a, b) in [(U8, I8), (I8, I8), (U8, U8), (I8, U8)] {
            let a = draw.tensor(a, left, -300.0, 300.0);
            let b = draw.tensor(b, right, -300.0, 300.0);
            agrees(Matmul {}, &[a, b]);
        }
    }
}

#[test]
fn conv() {
    let mut draw = Draw::new("conv");
    for round in 0..120 {
        let rank = draw.usize(1, 3);
        let groups = draw.of(&[1, 1, 2, 3]);
        let (inputs, outputs) = (draw.int(1, 3), draw.int(1, 3));
        let list = |draw: &mut Draw, n: usize, low, high| -> Vec<i64> {
            (0..n).map(|_| draw.int(low, high)).collect()
        };
        let kernel = list(&mut draw, rank, 1, 3);
        let op = Conv {
            strides: list(&mut draw, rank, 1, 3),
            pads: list(&mut draw, 2 * rank, 0, 2),
            dilations: list(&mut draw, rank, 1, 2),
            groups,
        };
        let mut x = vec![draw.int(1, 2), inputs * groups];
        x.extend(list(&mut draw, rank, 5, 7));
        let mut w = vec![outputs * groups, inputs];
        w.extend(&kernel);
        let (data, weights, sums, most) = match round % 10 {
            0 => (F16, F16, F16, 1.0),
            1 => (U8, I8, I32, 300.0),
            2 => (I8, U8, I32, 300.0),
            3 => (I32, I32, I32, 300.0),
            _ => (F32, F32, F32, 1.0),
        };
        let mut operands = vec![
            draw.tensor(data, &x, -most, most),
            draw.tensor(weights, &w, -most, most),
        ];
        if draw.flag() {
            operands.push(draw.tensor(sums, &w[..1], -most, most));
        }
        agrees(op, &operands);
    }
}

#[test]
fn pool() {
    let mut draw = Draw::new("pool");
    for round in 0..160 {
        let rank = draw.usize(1, 3);
        let list = |draw: &mut Draw, n: usize, low, high| -> Vec<i64> {
            (0..n).map(|_| draw.int(low, high)).collect()
        };
        let kernel = list(&mut draw, rank, 1, 3);
        let dilations = list(&mut draw, rank, 1, 2);
        let pads = (0..2 * rank)
            .map(|i| draw.int(0, kernel[i % rank] - 1))
            .collect();
        let kind = draw.of(PoolKind::ALL);
        let op = Pool {
            kind,
            strides: list(&mut draw, rank, 1, 3),
            pads,
            dilations,
            kernel,
            ceil_mode: draw.flag(),
            count_include_pad: draw.flag(),
        };
        let mut x = vec![draw.int(1, 2), draw.int(1, 3)];
        // As small as one window with its padding: some see padding only.
        x.extend((0..rank).map(|d| {
            let span = (op.kernel[d] - 1) * op.dilations[d] + 1;
            draw.int(1, 8).max(span - op.pads[d] - op.pads[rank + d])
        }));
        let element = match (round % 8, kind) {
            (0, _) => F16,
            (1, PoolKind::Max) => I32,
            _ => F32,
        };
        agrees(op, &[draw.tensor(element, &x, -5.0, 5.0)]);
    }
}

#[test]
fn the_average_of_padding_alone_is_zero() {
    let op = Pool {
        kind: PoolKind::Avg,
        kernel: vec![2, 1],
        strides: vec![1, 1],
        pads: vec![1, 0, 1, 0],
        dilations: vec![2, 1],
        ceil_mode: false,
        count_include_pad: false,
    };
    let x = Tensor::from_f32([1, 1, 1, 2], &[3.0, 4.0]);
    let y = Op::from(op.clone()).eval(std::slice::from_ref(&x)).unwrap();
    assert_eq!(y[0].to_f32s(), [0.0, 0.0]);
    agrees(op, &[x]);
}

#[test]
fn conv_transpose() {
    let mut draw = Draw::new("conv_transpose");
    for round in 0..120 {
        let rank = draw.usize(1, 3);
        let groups = draw.of(&[1, 1, 2]);
        let (inputs, outputs) = (draw.int(1, 3), draw.int(1, 3));
        let list = |draw: &mut Draw, n: usize, low, high| -> Vec<i64> {
            (0..n).map(|_| draw.int(low, high)).collect()
        };
        let kernel = list(&mut draw, rank, 1, 3);
        let mut op = ConvTranspose {
            strides: list(&mut draw, rank, 1, 3),
            pads: list(&mut draw, 2 * rank, 0, 1),
            output_pads: list(&mut draw, rank, 0, 1),
            dilations: list(&mut draw, rank, 1, 2),
            groups,
        };
        if round % 3 == 0 {
            op.strides.clone_from(&kernel);
            op.pads.fill(0);
            op.output_pads.fill(0);
            op.dilations.fill(1);
        }
        let mut x = vec![draw.int(1, 2), inputs * groups];
        x.extend(list(&mut draw, rank, 3, 5));
        let mut w = vec![inputs * groups, outputs];
        w.extend(&kernel);
        let element = if round % 10 == 0 { F16 } else { F32 };
        let mut operands = vec![
            draw.tensor(element, &x, -1.0, 1.0),
            draw.tensor(element, &w, -1.0, 1.0),
        ];
        if draw.flag() {
            operands.push(draw.tensor(element, &[outputs * groups], -1.0, 1.0));
        }
        agrees(op, &operands);
    }
}

#[test]
fn winograd_conv() {
    let mut draw = Draw::new("winograd_conv");
    for round in 0..80 {
        let (inputs, outputs, products) = (draw.int(1, 4), draw.int(1, 4), draw.int(1, 5));
        let (rows, further, taps) = (draw.int(1, 3), draw.int(0, 2), draw.int(1, 3));
        let pads: Vec<i64> = (0..4).map(|_| draw.int(0, 2)).collect();
        // Rows of the result are tiles of `rows`.
        let padded = rows * draw.int(2, 4) + further;
        let x = [
            draw.int(1, 2),
            inputs,
            (padded - pads[0] - pads[2]).max(1),
            draw.int(4, 7),
        ];
        let pads = match x[2] + pads[0] + pads[2] == padded {
            true => pads,
            false => vec![0, pads[1], padded - x[2], pads[3]],
        };
        let element = if round % 10 == 0 { F16 } else { F32 };
        let mut operands = vec![
            draw.tensor(element, &x, -1.0, 1.0),
            draw.tensor(element, &[products, outputs, inputs, taps], -1.0, 1.0),
            draw.tensor(element, &[products, rows + further], -1.0, 1.0),
            draw.tensor(element, &[rows, products], -1.0, 1.0),
        ];
        if draw.flag() {
            operands.push(draw.tensor(element, &[outputs], -1.0, 1.0));
        }
        agrees(WinogradConv { pads }, &operands);
    }
}
