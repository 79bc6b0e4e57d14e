//! For every operator and many seeded draws of attributes and shapes: `eval` agrees with running
//! `loops` through the nest interpreter, unplaced and placed, the inferred types are those of the results, and name and
//! attributes round-trip.

mod moves;
mod pointwise;
mod reductions;
mod resizing;
mod windows;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use sinter_loops::interp;
use sinter_loops::kernel::Role;
use sinter_loops::place_stages;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};
use sinter_ops::{Graph, NodeId, Op, Operator, form};

/// Draws of one test; its seed is its name, so that tests do not depend on each other.
struct Draw(SmallRng);

impl Draw {
    fn new(name: &str) -> Self {
        let seed = name
            .bytes()
            .fold(17u64, |h, b| h.wrapping_mul(31).wrapping_add(u64::from(b)));
        Self(SmallRng::seed_from_u64(seed))
    }

    fn int(&mut self, low: i64, high: i64) -> i64 {
        self.0.random_range(low..=high)
    }

    fn usize(&mut self, low: usize, high: usize) -> usize {
        self.0.random_range(low..=high)
    }

    fn flag(&mut self) -> bool {
        self.0.random()
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.0.random_range(0..choices.len())]
    }

    fn shape(&mut self, rank: usize) -> Vec<i64> {
        (0..rank).map(|_| self.int(1, 5)).collect()
    }

    /// A tensor of values between two bounds; integers are whole.
    fn tensor(&mut self, element: ElementType, shape: &[i64], low: f64, high: f64) -> Tensor {
        let ty = TensorType::new(element, shape);
        let values: Vec<f64> = (0..ty.elements())
            .map(|_| self.0.random_range(low..high))
            .collect();
        if element.is_float() {
            return Tensor::from_f64s(ty, &values);
        }
        let whole: Vec<f64> = values.iter().map(|v| v.floor()).collect();
        Tensor::from_f64s(ty, &whole)
    }

    fn f32(&mut self, shape: &[i64]) -> Tensor {
        self.tensor(ElementType::F32, shape, -2.0, 2.0)
    }

    /// A shape that broadcasts to another one.
    fn narrower(&mut self, shape: &[i64]) -> Vec<i64> {
        let skip = self.usize(0, shape.len());
        shape[skip..]
            .iter()
            .map(|&e| if self.flag() { e } else { 1 })
            .collect()
    }
}

/// Checks one operator on given operands.
fn agrees(op: impl Into<Op>, operands: &[Tensor]) {
    let op = op.into();
    round_trips(&op);
    let types: Vec<_> = operands.iter().map(|t| t.ty().clone()).collect();
    let context = || format!("{op:?} on {types:?}");
    let inferred = op
        .infer(&types)
        .unwrap_or_else(|e| panic!("{}: {e}", context()));
    let expected = op
        .eval(operands)
        .unwrap_or_else(|e| panic!("{}: {e}", context()));
    let found: Vec<_> = expected.iter().map(|t| t.ty().clone()).collect();
    assert_eq!(found, inferred, "{}", context());

    let actual = through_loops(&op, operands);
    for (expected, actual) in expected.iter().zip(&actual) {
        assert_eq!(expected.ty(), actual.ty(), "{}", context());
        let difference = largest_difference(expected, actual);
        let tolerance = tolerance(expected);
        assert!(
            difference <= tolerance,
            "{}: differs by {difference}",
            context()
        );
    }
}

fn through_loops(op: &Op, operands: &[Tensor]) -> Vec<Tensor> {
    let mut graph = Graph::new("one");
    let inputs: Vec<_> = operands
        .iter()
        .enumerate()
        .map(|(i, t)| graph.input(format!("x{i}"), t.ty().clone()))
        .collect();
    let outputs = graph
        .add(op.clone(), &inputs, vec!["node".into()])
        .expect("infer passed");
    let formed = form::form(&graph, &[NodeId(0)], &outputs, &form::RowMajor)
        .unwrap_or_else(|e| panic!("{op:?}: {e}"));
    formed
        .kernel
        .verify()
        .unwrap_or_else(|e| panic!("{op:?}: {e}"));
    assert!(formed.kernel.stages.iter().all(|s| s.origins == ["node"]));
    let arguments: Vec<_> = formed
        .kernel
        .slots_of(Role::Input)
        .map(|slot| {
            let value = formed.values[slot].expect("inputs are values");
            let position = inputs.iter().position(|&v| v == value).expect("an operand");
            operands[position].clone()
        })
        .collect();
    let results = interp::run(&formed.kernel, &arguments);
    let placed = place_stages(formed.kernel).unwrap_or_else(|e| panic!("{op:?}: {e}"));
    let bits = |tensors: &[Tensor]| {
        tensors
            .iter()
            .map(|t| t.bytes().clone())
            .collect::<Vec<_>>()
    };
    let again = interp::run(&placed, &arguments);
    assert_eq!(
        bits(&again),
        bits(&results),
        "{op:?} changes when its stages are placed"
    );
    results
}

fn round_trips(op: &Op) {
    let attributes: Vec<_> = op
        .attributes()
        .into_iter()
        .map(|(name, attr)| (name.to_owned(), attr))
        .collect();
    let back = Op::from_parts(op.mnemonic(), &attributes);
    assert_eq!(back.as_ref(), Ok(op));
    let mut more = attributes;
    more.push(("no_such_attribute".into(), sinter_ops::Attr::Bool(true)));
    assert!(
        Op::from_parts(op.mnemonic(), &more).is_err(),
        "{op:?} takes any attribute"
    );
}

fn largest_difference(a: &Tensor, b: &Tensor) -> f64 {
    let same = |x: f64, y: f64| x == y || (x.is_nan() && y.is_nan());
    let pairs = a.to_f64s().into_iter().zip(b.to_f64s());
    pairs
        .map(|(x, y)| if same(x, y) { 0.0 } else { (x - y).abs() })
        .fold(0.0, |m, d| {
            // A NaN on one side only must not pass.
            if d.is_nan() {
                f64::INFINITY
            } else {
                f64::max(m, d)
            }
        })
}

fn tolerance(expected: &Tensor) -> f64 {
    let relative = match expected.ty().element {
        ElementType::F32 => 4e-6,
        ElementType::F64 => 1e-12,
        ElementType::F16 => 2e-3,
        ElementType::Bf16 => 2e-2,
        _ => return 0.0,
    };
    let largest = expected
        .to_f64s()
        .into_iter()
        .filter(|v| v.is_finite())
        .fold(1.0, |m, v| f64::max(m, v.abs()));
    relative * largest
}
