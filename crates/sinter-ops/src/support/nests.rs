//! Loop nests, built tersely.

use sinter_loops::affine::Affine;
use sinter_loops::nest::{Access, Combine, Iter, Nest};
use sinter_loops::scalar::{Body, FloatBits};
use sinter_loops::types::ElementType;

use super::Code;

/// Iterator `i`.
pub fn iter(i: usize) -> Affine {
    Affine::Iter(i)
}

/// `expression * factor`, simplified for constants and the factors 0 and 1.
pub fn scaled(expression: Affine, factor: i64) -> Affine {
    match (expression, factor) {
        (Affine::Const(c), f) => Affine::Const(c * f),
        (_, 0) => Affine::Const(0),
        (e, 1) => e,
        (Affine::Mul(e, g), f) => scaled(*e, f * g),
        (e, f) => Affine::Mul(Box::new(e), f),
    }
}

/// `a + b`, simplified for constants.
pub fn sum(a: Affine, b: Affine) -> Affine {
    match (a, b) {
        (Affine::Const(0), e) | (e, Affine::Const(0)) => e,
        (Affine::Const(x), Affine::Const(y)) => Affine::Const(x + y),
        (Affine::Const(x), e) => Affine::Add(Box::new(e), Box::new(Affine::Const(x))),
        (Affine::Add(l, r), Affine::Const(y)) if matches!(*r, Affine::Const(_)) => {
            let Affine::Const(x) = *r else {
                return Affine::Const(0);
            };
            sum(*l, Affine::Const(x + y))
        }
        (a, b) => Affine::Add(Box::new(a), Box::new(b)),
    }
}

/// `expression + constant`.
pub fn with_offset(expression: Affine, constant: i64) -> Affine {
    sum(expression, Affine::Const(constant))
}

/// `sum of factor * iterator, + constant`, where iterators of extent 1 are left out as long as
/// another term remains.
pub fn affine(terms: &[(usize, i64)], constant: i64, iters: &[Iter]) -> Affine {
    let live: Vec<_> = terms
        .iter()
        .filter(|(i, _)| iters[*i].extent != 1)
        .collect();
    let kept = if live.is_empty() {
        terms.iter().take(1).collect()
    } else {
        live
    };
    let mut out = Affine::Const(0);
    for &&(i, factor) in &kept {
        out = sum(out, scaled(iter(i), factor));
    }
    with_offset(out, constant)
}

/// Iterators `first..first + rank` as an index.
pub fn identity(rank: usize) -> Vec<Affine> {
    (0..rank).map(iter).collect()
}

/// A nest under construction.
pub struct Point {
    nest: Nest,
}

impl Point {
    /// A nest over a domain, that reads and writes nothing yet.
    pub fn over(iters: Vec<Iter>) -> Self {
        Self {
            nest: Nest {
                iters,
                reads: Vec::new(),
                body: Body::default(),
                combines: Vec::new(),
                finish_reads: Vec::new(),
                finish: Body::default(),
                writes: Vec::new(),
                contract: false,
                origins: Vec::new(),
            },
        }
    }

    /// A nest over parallel iterators of a shape.
    pub fn parallel(shape: &[i64]) -> Self {
        Self::over(shape.iter().map(|&e| Iter::parallel(e)).collect())
    }

    /// Adds a read that is always inside the operand.
    pub fn read(self, operand: usize, index: Vec<Affine>) -> Self {
        self.read_padded(operand, index, None)
    }

    /// Adds a read that yields `pad` outside the operand.
    pub fn read_padded(mut self, operand: usize, index: Vec<Affine>, pad: Option<f64>) -> Self {
        let pad = pad.map(FloatBits::new);
        self.nest.reads.push(Access {
            operand,
            index,
            pad,
        });
        self
    }

    /// Adds a read for `finish`.
    pub fn finish_read(mut self, operand: usize, index: Vec<Affine>) -> Self {
        self.nest.finish_reads.push(Access {
            operand,
            index,
            pad: None,
        });
        self
    }

    /// Sets the body.
    pub fn body(mut self, body: Body) -> Self {
        self.nest.body = body;
        self
    }

    /// Adds a combiner; one per result of the body.
    pub fn combine(mut self, combine: Combine) -> Self {
        self.nest.combines.push(combine);
        self
    }

    /// Marks the nest a contraction.
    pub fn contract(mut self, contract: bool) -> Self {
        self.nest.contract = contract;
        self
    }

    /// Sets what is made of the accumulators.
    pub fn finish(mut self, finish: Body) -> Self {
        self.nest.finish = finish;
        self
    }

    /// Sets `finish` to one that passes a value of an element type through.
    pub fn pass(self, ty: ElementType) -> Self {
        self.finish(Code::pass(&[ty]))
    }

    /// Adds a write.
    pub fn write(mut self, operand: usize, index: Vec<Affine>) -> Self {
        self.nest.writes.push(Access {
            operand,
            index,
            pad: None,
        });
        self
    }

    /// The nest.
    pub fn done(self) -> Nest {
        self.nest
    }
}

/// The index by which an operand of shape `shape` is read so that it broadcasts to `out`, whose index
/// the iterators `0..out.len()` are.
pub fn broadcast_index(shape: &[i64], out: &[i64]) -> Vec<Affine> {
    let lead = out.len() - shape.len();
    let place = |d: usize| {
        if shape[d] == out[lead + d] {
            iter(lead + d)
        } else {
            Affine::Const(0)
        }
    };
    (0..shape.len()).map(place).collect()
}

/// The nest of an elementwise operator: operands `0..shapes.len()` broadcast to `out`, the result in
/// the slot after them.
pub fn pointwise(shapes: &[&[i64]], out: &[i64], body: Body, result: ElementType) -> Nest {
    let mut nest = Point::parallel(out);
    for (operand, shape) in shapes.iter().enumerate() {
        nest = nest.read(operand, broadcast_index(shape, out));
    }
    nest.body(body)
        .pass(result)
        .write(shapes.len(), identity(out.len()))
        .done()
}
