//! Slices that meet, and slices that take a tensor apart only to put it together in another order.
//!
//! Laws:
//!
//! - `slice[b](slice[a](x)) = slice[a o b](x)`
//! - `concat[c](every offset of the strided slices of x) = reshape(transpose(reshape(x)))`: the
//!   space-to-depth of patch merging, a change of order that a kernel reads directly

use std::collections::BTreeSet;

use egg::Id;
use sinter_ops::Op;
use sinter_ops::ops::concat::Concat;
use sinter_ops::ops::reshape::Reshape;
use sinter_ops::ops::slice::Slice;
use sinter_ops::ops::transpose::Transpose;

use super::pattern::View;
use super::{Expr, Rule};
use crate::egraph::Term;
use crate::options::Numerics;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "slice-of-slice",
        law: "slice[b](slice[a](x)) = slice[a o b](x)",
        numerics: Numerics::Exact,
        one_way: true,
        find: slice_of_slice,
        example: |e| {
            let shape = [e.int(4, 8), e.int(4, 8)];
            let mut x = e.input(&shape);
            for _ in 0..2 {
                let extents = e.graph.ty(x).shape.clone();
                let mut slice = Slice {
                    starts: vec![],
                    sizes: vec![],
                    steps: vec![],
                };
                for extent in extents {
                    let step = e.int(1, 2);
                    let start = e.int(0, extent / 3);
                    slice.sizes.push((extent - start + step - 1) / step);
                    slice.starts.push(start);
                    slice.steps.push(step);
                }
                x = e.apply(slice, &[x]);
            }
            // A slice of everything would fold away.
            let whole = e.graph.ty(x).shape == shape;
            let y = if whole {
                let row = Slice {
                    starts: vec![1, 0],
                    sizes: vec![1, shape[1]],
                    steps: vec![1, 1],
                };
                let column = Slice {
                    starts: vec![0, 1],
                    sizes: vec![1, 1],
                    steps: vec![1, 1],
                };
                let x = e.graph.inputs[0].1;
                let x = e.apply(row, &[x]);
                e.apply(column, &[x])
            } else {
                x
            };
            e.output(y);
        },
    },
    Rule {
        name: "concat-of-strided-slices",
        law: "concat(slice[i::n](x), ..) = reshape(transpose(reshape(x)))",
        numerics: Numerics::Exact,
        one_way: false,
        find: concat_of_strided_slices,
        example: |e| {
            let (height, width, channels) = (e.int(1, 3), e.int(1, 3), e.int(1, 4));
            let x = e.input(&[1, 2 * height, 2 * width, channels]);
            let rows_first = e.int(0, 1) == 0;
            let offsets = [[0, 0], [1, 0], [0, 1], [1, 1]];
            let parts: Vec<_> = offsets
                .into_iter()
                .map(|[a, b]| {
                    let (row, column) = if rows_first { (a, b) } else { (b, a) };
                    let slice = Slice {
                        starts: vec![0, row, column, 0],
                        sizes: vec![1, height, width, channels],
                        steps: vec![1, 2, 2, 1],
                    };
                    e.apply(slice, &[x])
                })
                .collect();
            let y = e.apply(Concat { axis: 3 }, &parts);
            e.output(y);
        },
    },
];

/// The slices by which a class is computed.
fn slices<'a>(view: &View<'a>, id: Id) -> Vec<(&'a Slice, Id)> {
    let found = view.operators(id).filter_map(|(op, x)| match op {
        Op::Slice(slice) => Some((slice, x[0])),
        _ => None,
    });
    found.collect()
}

fn slice_of_slice(view: &View<'_>, term: &Term) -> Vec<Expr> {
    let Term::Apply(Op::Slice(outer), operands) = term else {
        return vec![];
    };
    let composed = |(inner, x): (&Slice, Id)| {
        let start = |d: usize| inner.starts[d] + outer.starts[d] * inner.steps[d];
        let dims = 0..outer.starts.len();
        let slice = Slice {
            starts: dims.clone().map(start).collect(),
            sizes: outer.sizes.clone(),
            steps: dims.map(|d| inner.steps[d] * outer.steps[d]).collect(),
        };
        Expr::op(slice, vec![Expr::Class(x)])
    };
    slices(view, operands[0])
        .into_iter()
        .map(composed)
        .collect()
}

fn concat_of_strided_slices(view: &View<'_>, term: &Term) -> Vec<Expr> {
    let Term::Apply(Op::Concat(concat), parts) = term else {
        return vec![];
    };
    let axis = concat.axis as usize;
    let sources: Option<Vec<_>> = parts
        .iter()
        .map(|&p| slices(view, p).into_iter().next())
        .collect();
    let Some(sources) = sources.filter(|s| s.len() > 1) else {
        return vec![];
    };
    let (first, x) = sources[0];
    let shape = &view.ty(x).shape;
    let fits = |(slice, of): &(&Slice, Id)| {
        let whole = |d: usize| slice.sizes[d] * first.steps[d] == shape[d];
        let offset = |d: usize| (0..first.steps[d]).contains(&slice.starts[d]);
        view.same(*of, x)
            && slice.steps == first.steps
            && (0..shape.len()).all(|d| whole(d) && offset(d))
    };
    if first.steps[axis] != 1 || !sources.iter().all(fits) {
        return vec![];
    }
    let Some(digits) = digits(first, &sources) else {
        return vec![];
    };
    // Every strided dimension becomes (outer, offset); the offsets move before the axis.
    let mut split = Vec::new();
    let mut outer = Vec::new();
    let mut offset = vec![0; shape.len()];
    for (d, &extent) in shape.iter().enumerate() {
        outer.push(split.len() as i64);
        split.push(extent / first.steps[d]);
        if first.steps[d] > 1 {
            offset[d] = split.len() as i64;
            split.push(first.steps[d]);
        }
    }
    let mut perm = Vec::new();
    for (d, &place) in outer.iter().enumerate() {
        if d == axis {
            perm.extend(digits.iter().map(|&d| offset[d]));
        }
        perm.push(place);
    }
    let mut result: Vec<_> = first.sizes.clone();
    result[axis] = shape[axis] * sources.len() as i64;
    let apart = Expr::op(Reshape { shape: split }, vec![Expr::Class(x)]);
    let moved = Expr::op(Transpose { perm }, vec![apart]);
    vec![Expr::op(Reshape { shape: result }, vec![moved])]
}

/// The strided dimensions from the slowest to the fastest, where the slices go through all offsets in
/// that order.
fn digits(first: &Slice, sources: &[(&Slice, Id)]) -> Option<Vec<usize>> {
    let strided: Vec<_> = (0..first.steps.len())
        .filter(|&d| first.steps[d] > 1)
        .collect();
    let count: i64 = strided.iter().map(|&d| first.steps[d]).product();
    if strided.is_empty() || count != sources.len() as i64 {
        return None;
    }
    // The place at which an offset first becomes one tells how fast it moves.
    let place = |d: usize| sources.iter().position(|(s, _)| s.starts[d] == 1);
    let mut order: Vec<_> = strided
        .iter()
        .map(|&d| Some((place(d)?, d)))
        .collect::<Option<_>>()?;
    order.sort_unstable_by(|a, b| b.cmp(a));
    let order: Vec<_> = order.into_iter().map(|(_, d)| d).collect();
    let number = |slice: &Slice| {
        order
            .iter()
            .fold(0, |n, &d| n * first.steps[d] + slice.starts[d])
    };
    let numbers: BTreeSet<i64> = sources.iter().map(|(s, _)| number(s)).collect();
    let in_order = sources
        .iter()
        .enumerate()
        .all(|(i, (s, _))| number(s) == i as i64);
    (in_order && numbers.len() == sources.len()).then_some(order)
}
