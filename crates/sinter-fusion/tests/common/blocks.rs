//! Graphs of repeated blocks, as residual networks and transformers have them.
#![allow(dead_code, unreachable_pub)]

use sinter_fusion::rules::Example;
use sinter_loops::scalar::{BinaryFn, FloatBits};
use sinter_ops::ops::conv::Conv;
use sinter_ops::ops::layer_norm::LayerNorm;
use sinter_ops::ops::matmul::Matmul;
use sinter_ops::ops::reshape::Reshape;
use sinter_ops::ops::softmax::Softmax;
use sinter_ops::ops::transpose::Transpose;
use sinter_ops::ops::unary::UnaryKind;
use sinter_ops::{Graph, ValueId};

/// A kind of block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// Two convolutions with a residual.
    Residual,
    /// Attention and a feed-forward part, each with a residual.
    Transformer,
}

impl Block {
    pub const ALL: [Self; 2] = [Self::Residual, Self::Transformer];

    /// A graph of `count` blocks.
    pub fn repeated(self, count: usize) -> Graph {
        let mut e = Example::new(11);
        let mut x = match self {
            Self::Residual => e.input(&[1, CHANNELS, 14, 14]),
            Self::Transformer => e.input(&[TOKENS, WIDTH]),
        };
        for _ in 0..count {
            x = match self {
                Self::Residual => residual(&mut e, x),
                Self::Transformer => transformer(&mut e, x),
            };
        }
        e.output(x);
        e.graph
    }
}

const CHANNELS: i64 = 16;
const TOKENS: i64 = 64;
const WIDTH: i64 = 64;
const HEADS: i64 = 4;

fn conv(e: &mut Example, x: ValueId) -> ValueId {
    let w = e.constant(&[CHANNELS, CHANNELS, 3, 3], -0.1, 0.1);
    let b = e.constant(&[CHANNELS], -0.1, 0.1);
    let op = Conv {
        strides: vec![1, 1],
        pads: vec![1; 4],
        dilations: vec![1, 1],
        groups: 1,
    };
    e.apply(op, &[x, w, b])
}

fn residual(e: &mut Example, x: ValueId) -> ValueId {
    let y = conv(e, x);
    let y = e.unary(UnaryKind::Relu, y);
    let y = conv(e, y);
    let y = e.binary(BinaryFn::Add, y, x);
    e.unary(UnaryKind::Relu, y)
}

fn dense(e: &mut Example, x: ValueId, to: i64) -> ValueId {
    let from = e.graph.ty(x).shape[1];
    let w = e.constant(&[from, to], -0.1, 0.1);
    let b = e.constant(&[to], -0.1, 0.1);
    let y = e.apply(Matmul {}, &[x, w]);
    e.binary(BinaryFn::Add, y, b)
}

fn norm(e: &mut Example, x: ValueId) -> ValueId {
    let scale = e.constant(&[WIDTH], 0.5, 1.5);
    let bias = e.constant(&[WIDTH], -0.5, 0.5);
    let epsilon = FloatBits::new(1e-5);
    e.apply(LayerNorm { axis: 1, epsilon }, &[x, scale, bias])
}

fn transformer(e: &mut Example, x: ValueId) -> ValueId {
    let y = norm(e, x);
    let head = |e: &mut Example, perm: [i64; 3]| {
        let h = dense(e, y, WIDTH);
        let shape = vec![TOKENS, HEADS, WIDTH / HEADS];
        let h = e.apply(Reshape { shape }, &[h]);
        let perm = perm.to_vec();
        e.apply(Transpose { perm }, &[h])
    };
    let q = head(e, [1, 0, 2]);
    let k = head(e, [1, 2, 0]);
    let v = head(e, [1, 0, 2]);
    let scores = e.apply(Matmul {}, &[q, k]);
    let scale = e.literal(0.25);
    let scores = e.binary(BinaryFn::Mul, scores, scale);
    let scores = e.apply(Softmax { axis: 2 }, &[scores]);
    let y = e.apply(Matmul {}, &[scores, v]);
    let y = e.apply(
        Transpose {
            perm: vec![1, 0, 2],
        },
        &[y],
    );
    let shape = vec![TOKENS, WIDTH];
    let y = e.apply(Reshape { shape }, &[y]);
    let y = dense(e, y, WIDTH);
    let x = e.binary(BinaryFn::Add, x, y);
    let y = norm(e, x);
    let y = dense(e, y, 4 * WIDTH);
    let y = e.unary(UnaryKind::Gelu { approximate: false }, y);
    let y = dense(e, y, WIDTH);
    e.binary(BinaryFn::Add, x, y)
}
