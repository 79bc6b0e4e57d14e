//! Random graphs of up to nine operators.

use sinter_fusion::rules::Example;
use sinter_loops::scalar::BinaryFn;
use sinter_ops::ops::expand::Expand;
use sinter_ops::ops::matmul::Matmul;
use sinter_ops::ops::reduce::{Reduce, ReduceKind};
use sinter_ops::ops::softmax::Softmax;
use sinter_ops::ops::unary::UnaryKind;
use sinter_ops::{Graph, ValueId};

/// Most operators of a graph.
const MOST: i64 = 9;

/// A graph of matrices `[rows, columns]`, of their columns `[rows, 1]`, and of square products.
pub(crate) fn random(seed: u64) -> Graph {
    let mut e = Example::new(seed.wrapping_add(0x51e7));
    let rows = [24, 96, 384][e.int(0, 2) as usize];
    let columns = [16, 64, 256][e.int(0, 2) as usize];
    let inputs = e.int(1, 2);
    let mut values: Vec<ValueId> = (0..inputs).map(|_| e.input(&[rows, columns])).collect();
    let first = values.len();
    let mut uses = vec![0; values.len()];
    // Small ones more often: the brute force takes most of its time for the largest.
    for _ in 0..e.int(2, MOST).min(e.int(2, MOST)) {
        let (value, operands) = operator(&mut e, &values, rows, columns);
        for operand in operands {
            if let Some(place) = values.iter().position(|v| *v == operand) {
                uses[place] += 1;
            }
        }
        values.push(value);
        uses.push(0);
    }
    // What nobody uses is an output, and now and then something else.
    let mut graph = e.graph.clone();
    for (place, &value) in values.iter().enumerate().skip(first) {
        if uses[place] == 0 || e.int(0, 11) == 0 {
            graph.output(format!("y{place}"), value);
        }
    }
    graph
}

fn operator(
    e: &mut Example,
    values: &[ValueId],
    rows: i64,
    columns: i64,
) -> (ValueId, Vec<ValueId>) {
    // Recent values more often, so that graphs are deep as well as wide.
    let pick = |e: &mut Example| {
        let last = values.len() as i64 - 1;
        let back = e.int(0, last).min(e.int(0, last));
        values[(last - back) as usize]
    };
    let a = pick(e);
    let shape = e.graph.ty(a).shape.clone();
    let full = shape == [rows, columns];
    match e.int(0, 11) {
        0..=2 => {
            let kinds = [UnaryKind::Tanh, UnaryKind::Abs, UnaryKind::Sigmoid];
            let kind = kinds[e.int(0, 2) as usize];
            (e.unary(kind, a), vec![a])
        }
        3 if full => {
            let reduce = Reduce {
                kind: ReduceKind::Sum,
                axes: vec![1],
                keep_dims: true,
            };
            (e.apply(reduce, &[a]), vec![a])
        }
        4 if full => (e.apply(Softmax { axis: 1 }, &[a]), vec![a]),
        5 if shape == [rows, 1] => {
            let expand = Expand {
                shape: vec![rows, columns],
            };
            (e.apply(expand, &[a]), vec![a])
        }
        6 if full => {
            let w = e.constant(&[columns, columns], -0.1, 0.1);
            (e.apply(Matmul {}, &[a, w]), vec![a])
        }
        _ => {
            let b = pick(e);
            let kinds = [BinaryFn::Add, BinaryFn::Mul, BinaryFn::Sub];
            let kind = kinds[e.int(0, 2) as usize];
            (e.binary(kind, a, b), vec![a, b])
        }
    }
}
