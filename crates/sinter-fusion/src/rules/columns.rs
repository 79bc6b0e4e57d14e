//! Slices that take some columns of a matrix product with constant weights, as a model that computes
//! queries, keys and values by one product and then takes them apart.
//!
//! Law, where `views` are transpositions and reshapes that keep the columns in order, and `b` is constant:
//!
//! - `slice(views(x @ w + b)) = views(x @ slice(w) + slice(b))`

use egg::Id;
use sinter_loops::scalar::BinaryFn;
use sinter_ops::Op;
use sinter_ops::ops::matmul::Matmul;
use sinter_ops::ops::reshape::Reshape;
use sinter_ops::ops::slice::Slice;
use sinter_ops::ops::transpose::Transpose;

use super::pattern::{Example, View, binary, sides};
use super::{Expr, Rule};
use crate::egraph::Term;
use crate::options::Numerics;

pub(super) const RULES: &[Rule] = &[Rule {
    name: "columns-of-matmul",
    law: "slice(views(x @ w + b)) = views(x @ slice(w) + slice(b))",
    numerics: Numerics::Rounding,
    one_way: false,
    find: |view, term| {
        let Term::Apply(Op::Slice(slice), operands) = term else {
            return vec![];
        };
        let cut = Cut {
            starts: slice.starts.clone(),
            sizes: slice.sizes.clone(),
        };
        let plain = slice.steps.iter().all(|&s| s == 1);
        let found = plain.then(|| cut.of(view, operands[0], MOST_VIEWS));
        found.flatten().into_iter().collect()
    },
    example,
}];

/// Most views and additions between a slice and a product.
const MOST_VIEWS: usize = 4;

/// A box of a tensor.
struct Cut {
    starts: Vec<i64>,
    sizes: Vec<i64>,
}

impl Cut {
    /// The box of a class, computed from some columns of a product alone.
    fn of(&self, view: &View<'_>, id: Id, most: usize) -> Option<Expr> {
        let left = most.checked_sub(1)?;
        view.operators(id).find_map(|(op, operands)| match op {
            Op::Transpose(transpose) => {
                let inner = self.before(&transpose.perm).of(view, operands[0], left)?;
                Some(Expr::op(transpose.clone(), vec![inner]))
            }
            Op::Reshape(reshape) => {
                let from = &view.ty(operands[0]).shape;
                let inner = self.unsplit(from, &reshape.shape)?;
                let inner = inner.of(view, operands[0], left)?;
                let shape = self.sizes.clone();
                Some(Expr::op(Reshape { shape }, vec![inner]))
            }
            Op::Binary(sum) if sum.kind == BinaryFn::Add => {
                let pair = [operands[0], operands[1]];
                sides(BinaryFn::Add, pair)
                    .into_iter()
                    .find_map(|(x, b)| self.of_sum(view, id, x, b, left))
            }
            Op::Matmul(_) => self.of_product(view, id, operands),
            _ => None,
        })
    }

    /// The box of the operand of a transposition.
    fn before(&self, perm: &[i64]) -> Self {
        let mut inner = Self {
            starts: vec![0; perm.len()],
            sizes: vec![0; perm.len()],
        };
        for (d, &from) in perm.iter().enumerate() {
            inner.starts[from as usize] = self.starts[d];
            inner.sizes[from as usize] = self.sizes[d];
        }
        inner
    }

    /// The box of the operand of a reshape that splits dimensions, where the box is one there too: it
    /// is all of the split dimensions but the outermost.
    fn unsplit(&self, from: &[i64], to: &[i64]) -> Option<Self> {
        let mut inner = Self {
            starts: Vec::new(),
            sizes: Vec::new(),
        };
        let mut d = 0;
        for (n, &extent) in from.iter().enumerate() {
            let first = d;
            let mut product = 1;
            let last = n + 1 == from.len();
            while product < extent || d == first || last && d < to.len() {
                product *= *to.get(d)?;
                d += 1;
            }
            if product != extent {
                return None;
            }
            let below: i64 = to[first + 1..d].iter().product();
            let whole = (first + 1..d).all(|d| self.starts[d] == 0 && self.sizes[d] == to[d]);
            if !whole {
                return None;
            }
            inner.starts.push(self.starts[first] * below);
            inner.sizes.push(self.sizes[first] * below);
        }
        (d == to.len()).then_some(inner)
    }

    /// The box of `x + b`, for a constant `b` that has no dimension but the columns.
    fn of_sum(&self, view: &View<'_>, sum: Id, x: Id, b: Id, left: usize) -> Option<Expr> {
        view.constant(b)?;
        let shape = &view.ty(b).shape;
        let columns = *view.ty(sum).shape.last()?;
        if view.ty(x).shape != view.ty(sum).shape || shape[..] != [columns] {
            return None;
        }
        let inner = self.of(view, x, left)?;
        Some(binary(BinaryFn::Add, inner, self.columns(b, shape)))
    }

    fn of_product(&self, view: &View<'_>, product: Id, operands: &[Id]) -> Option<Expr> {
        let (x, w) = (operands[0], operands[1]);
        let (shape, weights) = (&view.ty(product).shape, &view.ty(w).shape);
        view.constant(w)?;
        let rows = 0..shape.len().checked_sub(1)?;
        let whole = |d: usize| self.starts[d] == 0 && self.sizes[d] == shape[d];
        let fits = weights.len() == 2 && view.ty(x).rank() >= 2 && rows.into_iter().all(whole);
        let some = self.sizes.last() < shape.last();
        (fits && some).then(|| {
            let weights = self.columns(w, weights);
            Expr::op(Matmul {}, vec![Expr::Class(x), weights])
        })
    }

    /// The columns of a constant whose last dimension they are.
    fn columns(&self, constant: Id, shape: &[i64]) -> Expr {
        let last = shape.len() - 1;
        let mut starts = vec![0; shape.len()];
        let mut sizes = shape.to_vec();
        starts[last] = self.starts.last().copied().unwrap_or(0);
        sizes[last] = self.sizes.last().copied().unwrap_or(0);
        let steps = vec![1; shape.len()];
        let slice = Slice {
            starts,
            sizes,
            steps,
        };
        Expr::op(slice, vec![Expr::Class(constant)])
    }
}

/// One of queries, keys and values of some heads.
fn example(e: &mut Example) {
    let (rows, inner) = (e.int(1, 4), e.int(1, 4));
    let (heads, depth) = (e.int(1, 3), e.int(1, 3));
    let x = e.input(&[2, rows, inner]);
    let w = e.constant(&[inner, 3 * heads * depth], -1.0, 1.0);
    let mut y = e.apply(Matmul {}, &[x, w]);
    if e.int(0, 1) == 1 {
        let b = e.constant(&[3 * heads * depth], -1.0, 1.0);
        y = e.binary_either_way(BinaryFn::Add, y, b);
    }
    let shape = vec![2, rows, 3, heads, depth];
    let y = e.apply(Reshape { shape }, &[y]);
    let perm = vec![2, 0, 3, 1, 4];
    let y = e.apply(Transpose { perm }, &[y]);
    let slice = Slice {
        starts: vec![e.int(0, 2), 0, 0, 0, 0],
        sizes: vec![1, 2, heads, rows, depth],
        steps: vec![1; 5],
    };
    let y = e.apply(slice, &[y]);
    e.output(y);
}
