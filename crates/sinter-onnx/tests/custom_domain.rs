//! Operators of another domain are translated by the functions that are registered for them. One process,
//! one registry: one test.

use std::path::{Path, PathBuf};

use sinter_loops::scalar::BinaryFn;
use sinter_onnx::custom::{Call, Entry, Fault, Importer, Value, axis, register};
use sinter_onnx::{ImportOptions, import};
use sinter_ops::Operator;
use sinter_ops::ops::binary::Binary;
use sinter_ops::ops::reduce::{Reduce, ReduceKind};
use sinter_ops::ops::unary::{Unary, UnaryKind};

/// A model with `Squareplus` and `Power` of `org.example.dsp` between operators of ONNX's own.
fn model() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/out-of-tree/models/dsp.onnx")
}

const fn entry(operator: &'static str, handler: fn(&mut Importer, &Call) -> Results) -> Entry {
    Entry {
        domain: "org.example.dsp",
        operator,
        handler,
    }
}

type Results = Result<Vec<Value>, Fault>;

fn rectified(import: &mut Importer, call: &Call) -> Results {
    let kind = match call.float("roundness", 4.0)? {
        2.0 => UnaryKind::Relu,
        other => return Err(Fault::attribute("roundness", format!("is {other}, not 2"))),
    };
    Ok(vec![import.add(Unary { kind }, &[call.input(0)?.clone()])?])
}

fn power(import: &mut Importer, call: &Call) -> Results {
    let x = call.input(0)?.clone();
    let axes = vec![axis(call.int("axis", -1)?, import.rank(&x))?];
    let kind = BinaryFn::Mul;
    let square = import.add(Binary { kind }, &[x.clone(), x])?;
    let mean = Reduce {
        kind: ReduceKind::Mean,
        axes,
        keep_dims: true,
    };
    Ok(vec![import.add(mean, &[square])?])
}

#[test]
fn registered_operators_are_translated() {
    let refused = || match import(model(), &ImportOptions::default()) {
        Ok(graph) => panic!("imported as {:?}", graph.nodes),
        Err(error) => error.to_string(),
    };
    assert_eq!(
        refused(),
        "node 'smooth' (Squareplus): operators of domain 'org.example.dsp' are not supported: export with \
         standard ONNX operators"
    );
    register(&[entry("Squareplus", rectified)]).expect("is free");
    assert_eq!(
        refused(),
        "node 'power' (Power): of domain 'org.example.dsp' only Squareplus are known: register the operator \
         too"
    );
    register(&[entry("Power", power)]).expect("is free");
    let graph = import(model(), &ImportOptions::default()).expect("imports");
    let names: Vec<_> = graph.nodes.iter().map(|n| n.op.mnemonic()).collect();
    assert_eq!(
        names,
        ["mul", "add", "relu", "mul", "reduce", "add", "sqrt", "div"]
    );
    assert_eq!(graph.nodes[3].origins, ["power"]);

    let again = register(&[entry("Power", power)]).expect_err("is taken");
    assert_eq!(
        again.to_string(),
        "operator 'Power' of domain 'org.example.dsp' has two translations"
    );
    let own = Entry {
        domain: "",
        ..entry("Relu", rectified)
    };
    assert!(register(&[own]).is_err());
}
