//! Index expressions over the iterators of a nest.

use serde::{Deserialize, Serialize};

/// An affine index expression. Iterators are numbered by their place in the nest's domain.
/// Division and remainder are the floor kind, by a positive constant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Affine {
    /// A constant.
    Const(i64),
    /// Iterator by number.
    Iter(usize),
    /// Sum.
    Add(Box<Affine>, Box<Affine>),
    /// Product with a constant.
    Mul(Box<Affine>, i64),
    /// Floor division by a positive constant.
    FloorDiv(Box<Affine>, i64),
    /// Floor remainder by a positive constant.
    Mod(Box<Affine>, i64),
}
