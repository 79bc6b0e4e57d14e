//! Terms, and what is known of a class.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use egg::{Analysis, DidMerge, EGraph, Id, Language};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;
use sinter_ops::{Op, Operator};

/// The largest constant that is made by folding an operator whose operands are much smaller in all.
const LARGEST_GROWN_BYTES: i64 = 1 << 20;

/// A way to compute a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Term {
    /// A graph input, by number.
    Input(u32),
    /// A constant, by its number.
    Constant(u32),
    /// An operator on operands.
    Apply(Op, Vec<Id>),
    /// An operator that may not be merged with an equal one: random, stateful. The number is its own.
    Opaque(u32, Op, Vec<Id>),
    /// A further result of an operator with several.
    Result(u32, [Id; 1]),
}

impl Language for Term {
    type Discriminant = std::mem::Discriminant<Self>;

    fn discriminant(&self) -> Self::Discriminant {
        std::mem::discriminant(self)
    }

    fn matches(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Input(a), Self::Input(b)) | (Self::Constant(a), Self::Constant(b)) => a == b,
            (Self::Apply(a, x), Self::Apply(b, y)) => a == b && x.len() == y.len(),
            (Self::Opaque(m, ..), Self::Opaque(n, ..)) => m == n,
            (Self::Result(m, _), Self::Result(n, _)) => m == n,
            _ => false,
        }
    }

    fn children(&self) -> &[Id] {
        match self {
            Self::Input(_) | Self::Constant(_) => &[],
            Self::Apply(_, x) | Self::Opaque(_, _, x) => x,
            Self::Result(_, x) => x,
        }
    }

    fn children_mut(&mut self) -> &mut [Id] {
        match self {
            Self::Input(_) | Self::Constant(_) => &mut [],
            Self::Apply(_, x) | Self::Opaque(_, _, x) => x,
            Self::Result(_, x) => x,
        }
    }
}

/// Constants by content: equal tensors have one number, so that a transpose of a transpose of a
/// constant is the constant itself and saturation ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct Constants {
    tensors: Vec<Tensor>,
    numbers: HashMap<(TensorType, bytes::Bytes), u32>,
}

impl Constants {
    /// The number of a tensor.
    pub(crate) fn intern(&mut self, tensor: Tensor) -> u32 {
        let key = (tensor.ty().clone(), tensor.bytes().clone());
        *self.numbers.entry(key).or_insert_with(|| {
            self.tensors.push(tensor);
            self.tensors.len() as u32 - 1
        })
    }

    /// The tensor of a number.
    pub(crate) fn get(&self, number: u32) -> &Tensor {
        &self.tensors[number as usize]
    }
}

/// What is known of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Class {
    /// Types of all results; one but for operators with several.
    pub(crate) types: Vec<TensorType>,
    /// The constant it is, if it is one.
    pub(crate) constant: Option<u32>,
    /// ONNX nodes that each operator of the class performs, by number in [`Facts`].
    pub(crate) origins: BTreeMap<Op, BTreeSet<u32>>,
}

/// The analysis.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub(crate) constants: Constants,
    pub(crate) names: Vec<String>,
    pub(crate) inputs: Vec<TensorType>,
}

/// The e-graph of values.
pub(crate) type Values = EGraph<Term, Facts>;

impl Facts {
    fn types(egraph: &Values, term: &Term) -> Vec<TensorType> {
        let facts = &egraph.analysis;
        match term {
            Term::Input(n) => vec![facts.inputs[*n as usize].clone()],
            Term::Constant(n) => vec![facts.constants.get(*n).ty().clone()],
            Term::Result(n, [of]) => vec![egraph[*of].data.types[*n as usize].clone()],
            Term::Apply(op, operands) | Term::Opaque(_, op, operands) => {
                let types: Vec<_> = operands
                    .iter()
                    .map(|&o| egraph[o].data.types[0].clone())
                    .collect();
                op.infer(&types).unwrap_or_default()
            }
        }
    }

    fn fold(egraph: &Values, term: &Term, types: &[TensorType]) -> Option<Tensor> {
        let Term::Apply(op, operands) = term else {
            return None;
        };
        let [ty] = types else { return None };
        let constant = |o: &Id| Some(egraph.analysis.constants.get(egraph[*o].data.constant?));
        let operands: Option<Vec<_>> = operands.iter().map(constant).collect();
        let operands = operands?;
        let taken: i64 = operands.iter().map(|t| t.ty().bytes()).sum();
        // Half as much again, as the weights of short products, is not much.
        let most = (taken + taken / 2).max(LARGEST_GROWN_BYTES);
        if operands.is_empty() || ty.bytes() > most {
            return None;
        }
        let operands: Vec<_> = operands.into_iter().cloned().collect();
        op.eval(&operands).ok()?.into_iter().next()
    }
}

impl Analysis<Term> for Facts {
    type Data = Class;

    fn make(egraph: &mut Values, term: &Term, _: Id) -> Class {
        let types = Self::types(egraph, term);
        let constant = match term {
            Term::Constant(n) => Some(*n),
            term => Self::fold(egraph, term, &types).map(|t| egraph.analysis.constants.intern(t)),
        };
        Class {
            types,
            constant,
            origins: BTreeMap::new(),
        }
    }

    fn merge(&mut self, a: &mut Class, b: Class) -> DidMerge {
        debug_assert_eq!(a.types, b.types, "a rule changed a type");
        let before = a.constant;
        a.constant = match (a.constant, b.constant) {
            (Some(x), Some(y)) => Some(x.min(y)),
            (x, y) => x.or(y),
        };
        for (op, origins) in b.origins {
            a.origins.entry(op).or_default().extend(origins);
        }
        // Nothing of a class follows from its operands' origins, so they do not count as a change.
        DidMerge(a.constant != before, a.constant != b.constant)
    }

    fn modify(egraph: &mut Values, id: Id) {
        if let Some(constant) = egraph[id].data.constant {
            let leaf = egraph.add(Term::Constant(constant));
            egraph.union_trusted(id, leaf, "fold-constants");
        }
    }
}
