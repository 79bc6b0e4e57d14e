//! Positions along tiled iterators as reads.

use crate::affine::Affine;
use crate::nest::{Access, Nest};
use crate::scalar::{Body, Inst};
use crate::types::ElementType;

/// Replaces every [`Inst::Index`] of a tiled iterator with a read: a tile knows where it starts only
/// when it runs. The position along iterator `i` is slot `first + i`, of one dimension.
pub(super) fn read_positions(nest: &mut Nest, tiled: &dyn Fn(usize) -> bool, first: usize) {
    let read = |iter: usize| Access::new(first + iter, vec![Affine::Iter(iter)]);
    while let Some(iter) = wanted(&nest.body, tiled) {
        nest.body = with_argument(&nest.body, iter);
        nest.reads.push(read(iter));
    }
    while let Some(iter) = wanted(&nest.finish, tiled) {
        nest.finish = with_argument(&nest.finish, iter);
        nest.finish_reads.push(read(iter));
    }
}

fn wanted(body: &Body, tiled: &dyn Fn(usize) -> bool) -> Option<usize> {
    body.insts.iter().find_map(|inst| match *inst {
        Inst::Index(iter) if tiled(iter) => Some(iter),
        _ => None,
    })
}

/// The body with the position along `iter` as its last argument.
fn with_argument(body: &Body, iter: usize) -> Body {
    body.with_last_argument(ElementType::I64, |_, inst| *inst == Inst::Index(iter))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::{BinaryFn, BodyBuilder};

    #[test]
    fn positions_become_arguments() {
        let mut body = BodyBuilder::new([ElementType::I64]);
        let here = body.push(Inst::Index(1));
        let other = body.push(Inst::Index(0));
        let sum = body.binary(BinaryFn::Add, 0, here);
        let sum = body.binary(BinaryFn::Sub, sum, other);
        let body = with_argument(&body.finish(vec![sum]), 1);
        assert_eq!(body.args, [ElementType::I64; 2]);
        let expected = [
            Inst::Index(0),
            Inst::Binary(BinaryFn::Add, 0, 1),
            Inst::Binary(BinaryFn::Sub, 3, 2),
        ];
        assert_eq!(body.insts, expected);
        assert_eq!(body.results, [4]);
    }
}
