//! Reductions and normalisations.

use sinter_loops::scalar::FloatBits;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::ElementType::{F16, F32, F64, I32, I64};
use sinter_ops::Operator;
use sinter_ops::ops::arg_reduce::{ArgReduce, ArgReduceKind};
use sinter_ops::ops::layer_norm::LayerNorm;
use sinter_ops::ops::reduce::{Reduce, ReduceKind};
use sinter_ops::ops::scan::{Scan, ScanKind};
use sinter_ops::ops::softmax::{LogSoftmax, Softmax};

use crate::{Draw, agrees};

#[test]
fn reduce() {
    let mut draw = Draw::new("reduce");
    for &kind in ReduceKind::ALL {
        for _ in 0..20 {
            let rank = draw.usize(0, 4);
            let shape = draw.shape(rank);
            let axes: Vec<i64> = (0..rank as i64).filter(|_| draw.flag()).collect();
            let op = Reduce {
                kind,
                axes,
                keep_dims: draw.flag(),
            };
            let element = draw.of(&[F32, F64, F16]);
            agrees(op.clone(), &[draw.tensor(element, &shape, -1.5, 1.5)]);
            if !matches!(kind, ReduceKind::L2 | ReduceKind::LogSumExp) {
                let element = draw.of(&[I32, I64]);
                agrees(op, &[draw.tensor(element, &shape, -3.0, 4.0)]);
            }
        }
    }
}

#[test]
fn log_sum_exp_of_infinities() {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let rows = [
        [0.0, 1.0, inf],
        [-inf, -inf, -inf],
        [0.0, -inf, 0.0],
        [inf, -inf, inf],
        [nan, 0.0, inf],
    ];
    let x = Tensor::from_f32([5, 3], rows.as_flattened());
    let op = Reduce {
        kind: ReduceKind::LogSumExp,
        axes: vec![1],
        keep_dims: false,
    };
    let y = op.eval(std::slice::from_ref(&x)).unwrap()[0].to_f32s();
    assert_eq!(y[..4], [inf, -inf, 2f32.ln(), inf]);
    assert!(y[4].is_nan());
    agrees(op, &[x]);
}

#[test]
fn softmax() {
    let mut draw = Draw::new("softmax");
    for _ in 0..20 {
        let rank = draw.usize(1, 4);
        let shape = draw.shape(rank);
        let axis = draw.int(0, rank as i64 - 1);
        let element = draw.of(&[F32, F32, F64, F16]);
        let x = draw.tensor(element, &shape, -90.0, 90.0);
        agrees(Softmax { axis }, std::slice::from_ref(&x));
        agrees(LogSoftmax { axis }, &[x]);
    }
}

#[test]
fn layer_norm() {
    let mut draw = Draw::new("layer_norm");
    for round in 0..20 {
        let rank = draw.usize(1, 4);
        let shape = draw.shape(rank);
        let axis = draw.usize(0, rank - 1);
        let element = if round % 5 == 0 { F16 } else { F32 };
        let mut operands = vec![
            draw.tensor(element, &shape, -3.0, 3.0),
            draw.tensor(element, &shape[axis..], -1.0, 1.0),
        ];
        if draw.flag() {
            operands.push(draw.tensor(element, &shape[axis..], -1.0, 1.0));
        }
        agrees(
            LayerNorm {
                axis: axis as i64,
                epsilon: FloatBits::new(1e-3),
            },
            &operands,
        );
    }
}

#[test]
fn arg_reduce() {
    let mut draw = Draw::new("arg_reduce");
    for &kind in ArgReduceKind::ALL {
        for _ in 0..30 {
            let rank = draw.usize(1, 4);
            let shape = draw.shape(rank);
            let axis = draw.int(0, rank as i64 - 1);
            let op = ArgReduce {
                kind,
                axis,
                keep_dims: draw.flag(),
                select_last: draw.flag(),
            };
            agrees(op.clone(), &[draw.f32(&shape)]);
            agrees(op, &[draw.tensor(I32, &shape, 0.0, 3.0)]);
        }
    }
}

#[test]
fn scan() {
    let mut draw = Draw::new("scan");
    for &kind in ScanKind::ALL {
        for _ in 0..30 {
            let rank = draw.usize(1, 3);
            let shape = draw.shape(rank);
            let axis = draw.int(0, rank as i64 - 1);
            let op = Scan {
                kind,
                axis,
                exclusive: draw.flag(),
                reverse: draw.flag(),
            };
            let element = draw.of(&[F32, F16, I64]);
            agrees(op, &[draw.tensor(element, &shape, -3.0, 3.0)]);
        }
        // Several sizes of windows.
        for extent in [15, 16, 17, 64, 100, 129, 513] {
            let (exclusive, reverse) = (draw.flag(), draw.flag());
            let axis = draw.int(0, 1);
            let shape = if axis == 0 { [extent, 3] } else { [3, extent] };
            let op = Scan {
                kind,
                axis,
                exclusive,
                reverse,
            };
            let element = draw.of(&[F32, I64]);
            let most = if kind == ScanKind::Prod { 1.0 } else { 3.0 };
            agrees(op, &[draw.tensor(element, &shape, -most, most)]);
        }
    }
}
