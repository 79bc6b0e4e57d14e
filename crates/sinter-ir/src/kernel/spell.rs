//! Which upstream operation spells which scalar function.
//!
//! | function | on floats | on signed, unsigned and boolean values |
//! |---|---|---|
//! | `neg` | `arith.negf` | `arith.subi` from zero |
//! | `not` | | `arith.xori` with all ones |
//! | `max`, `min` | `arith.maximumf`, `arith.minimumf` | `arith.maxsi`, `arith.maxui`, ... |
//! | a comparison | ordered, but `une` | signed or unsigned |
//! | to `i1` | `arith.cmpf une` with zero | `arith.cmpi ne` with zero |
//! | to the same width | `arith.bitcast` | `arith.bitcast` |

use sinter_loops::scalar::{BinaryFn, CompareFn, UnaryFn};
use sinter_loops::types::ElementType;

/// How a type takes part in arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Float,
    Signed,
    Unsigned,
}

pub(super) fn kind(element: ElementType) -> Kind {
    match element {
        ElementType::F32 | ElementType::F64 | ElementType::F16 | ElementType::Bf16 => Kind::Float,
        ElementType::I64 | ElementType::I32 | ElementType::I8 => Kind::Signed,
        ElementType::U8 | ElementType::Bool => Kind::Unsigned,
    }
}

const UNARY: &[(UnaryFn, Option<&str>, Option<&str>)] = &[
    (UnaryFn::Neg, Some("arith.negf"), None),
    (UnaryFn::Abs, Some("math.absf"), Some("math.absi")),
    (UnaryFn::Exp, Some("math.exp"), None),
    (UnaryFn::Log, Some("math.log"), None),
    (UnaryFn::Sqrt, Some("math.sqrt"), None),
    (UnaryFn::Rsqrt, Some("math.rsqrt"), None),
    (UnaryFn::Tanh, Some("math.tanh"), None),
    (UnaryFn::Erf, Some("math.erf"), None),
    (UnaryFn::Sin, Some("math.sin"), None),
    (UnaryFn::Cos, Some("math.cos"), None),
    (UnaryFn::Floor, Some("math.floor"), None),
    (UnaryFn::Ceil, Some("math.ceil"), None),
    (UnaryFn::Round, Some("math.roundeven"), None),
];

const BINARY: &[(BinaryFn, [Option<&str>; 3])] = &[
    (
        BinaryFn::Add,
        [Some("arith.addf"), Some("arith.addi"), Some("arith.addi")],
    ),
    (
        BinaryFn::Sub,
        [Some("arith.subf"), Some("arith.subi"), Some("arith.subi")],
    ),
    (
        BinaryFn::Mul,
        [Some("arith.mulf"), Some("arith.muli"), Some("arith.muli")],
    ),
    (
        BinaryFn::Div,
        [Some("arith.divf"), Some("arith.divsi"), Some("arith.divui")],
    ),
    (
        BinaryFn::Max,
        [
            Some("arith.maximumf"),
            Some("arith.maxsi"),
            Some("arith.maxui"),
        ],
    ),
    (
        BinaryFn::Min,
        [
            Some("arith.minimumf"),
            Some("arith.minsi"),
            Some("arith.minui"),
        ],
    ),
    (
        BinaryFn::Pow,
        [Some("math.powf"), Some("math.ipowi"), Some("math.ipowi")],
    ),
    (
        BinaryFn::Rem,
        [Some("arith.remf"), Some("arith.remsi"), Some("arith.remui")],
    ),
    (
        BinaryFn::And,
        [None, Some("arith.andi"), Some("arith.andi")],
    ),
    (BinaryFn::Or, [None, Some("arith.ori"), Some("arith.ori")]),
    (
        BinaryFn::Xor,
        [None, Some("arith.xori"), Some("arith.xori")],
    ),
];

/// Predicate numbers of `arith.cmpf`, and of `arith.cmpi` signed and unsigned.
const COMPARE: &[(CompareFn, [i64; 3])] = &[
    (CompareFn::Eq, [1, 0, 0]),
    (CompareFn::Ne, [13, 1, 1]),
    (CompareFn::Lt, [4, 2, 6]),
    (CompareFn::Le, [5, 3, 7]),
    (CompareFn::Gt, [2, 4, 8]),
    (CompareFn::Ge, [3, 5, 9]),
];

pub(super) const CASTS: &[&str] = &[
    "arith.extf",
    "arith.truncf",
    "arith.extsi",
    "arith.extui",
    "arith.trunci",
    "arith.fptosi",
    "arith.fptoui",
    "arith.sitofp",
    "arith.uitofp",
    "arith.bitcast",
];

pub(super) fn unary(function: UnaryFn, kind: Kind) -> Option<&'static str> {
    let (_, float, int) = UNARY.iter().find(|row| row.0 == function)?;
    if kind == Kind::Float { *float } else { *int }
}

pub(super) fn unary_of(name: &str) -> Option<UnaryFn> {
    UNARY
        .iter()
        .find(|row| row.1 == Some(name) || row.2 == Some(name))
        .map(|row| row.0)
}

pub(super) fn binary(function: BinaryFn, kind: Kind) -> Option<&'static str> {
    BINARY.iter().find(|row| row.0 == function)?.1[kind as usize]
}

pub(super) fn binary_of(name: &str) -> Option<BinaryFn> {
    BINARY
        .iter()
        .find(|row| row.1.contains(&Some(name)))
        .map(|row| row.0)
}

pub(super) fn predicate(function: CompareFn, kind: Kind) -> i64 {
    COMPARE
        .iter()
        .find(|row| row.0 == function)
        .map_or(0, |row| row.1[kind as usize])
}

pub(super) fn compare_of(predicate: i64, float: bool) -> Option<CompareFn> {
    let columns = if float { 0..1 } else { 1..3 };
    COMPARE
        .iter()
        .find(|row| row.1[columns.clone()].contains(&predicate))
        .map(|row| row.0)
}

/// The conversion from one element type to another, `i1` excepted as a target.
pub(super) fn cast(from: ElementType, to: ElementType) -> &'static str {
    let (source, target) = (kind(from), kind(to));
    match (source, target) {
        (Kind::Float, Kind::Float) => match from.bytes().cmp(&to.bytes()) {
            std::cmp::Ordering::Less => "arith.extf",
            std::cmp::Ordering::Greater => "arith.truncf",
            std::cmp::Ordering::Equal => "arith.bitcast",
        },
        (Kind::Float, Kind::Signed) => "arith.fptosi",
        (Kind::Float, Kind::Unsigned) => "arith.fptoui",
        (Kind::Signed, Kind::Float) => "arith.sitofp",
        (Kind::Unsigned, Kind::Float) => "arith.uitofp",
        _ => match bits(from).cmp(&bits(to)) {
            std::cmp::Ordering::Less if source == Kind::Signed => "arith.extsi",
            std::cmp::Ordering::Less => "arith.extui",
            std::cmp::Ordering::Greater => "arith.trunci",
            std::cmp::Ordering::Equal => "arith.bitcast",
        },
    }
}

fn bits(element: ElementType) -> usize {
    if element == ElementType::Bool {
        1
    } else {
        element.bytes() * 8
    }
}
