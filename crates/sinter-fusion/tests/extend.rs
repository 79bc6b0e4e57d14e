//! What another crate registers is used, and names stay unique. One process, one registry: one test.

use sinter_device::{Device, Time};
use sinter_fusion::extend::{Candidate, CostTerm, LegalityCheck, Objection, codes, register};
use sinter_fusion::rules::{Expr, Rule, Term, View, apply, catalogue, example};
use sinter_fusion::{Numerics, Options, OutsideCode, fuse};
use sinter_loops::types::TensorType;
use sinter_ops::ops::unary::{Unary, UnaryKind};
use sinter_ops::{Graph, Op, Operator};

const RULE: Rule = Rule {
    name: "floor-of-ceil",
    law: "floor(ceil(x)) = ceil(x)",
    numerics: Numerics::Exact,
    one_way: true,
    find: floor_of_ceil,
    example: |e| {
        let shape = e.shape(2);
        let x = e.input(&shape);
        let whole = e.unary(UnaryKind::Ceil, x);
        let y = e.unary(UnaryKind::Floor, whole);
        e.output(y);
    },
};

fn floor_of_ceil(view: &View<'_>, term: &Term) -> Vec<Expr> {
    match term {
        Term::Apply(Op::Unary(op), x)
            if op.kind == UnaryKind::Floor && view.unary(x[0], UnaryKind::Ceil).is_some() =>
        {
            vec![Expr::Class(x[0])]
        }
        _ => vec![],
    }
}

const CHECK: LegalityCheck = LegalityCheck {
    code: &OutsideCode {
        code: "sines-alone",
        meaning: "A sine has a kernel of its own",
        flip: "another function",
    },
    find: sines_alone,
};

fn sines_alone(candidate: &Candidate<'_>) -> Option<Objection> {
    let op = |n: &sinter_ops::NodeId| candidate.graph.nodes[n.0 as usize].op.mnemonic();
    candidate
        .nodes
        .iter()
        .any(|n| op(n) == "sin")
        .then(|| Objection {
            message: "there is a sine".into(),
            flip: None,
        })
}

const COST: CostTerm = CostTerm {
    name: "toll",
    time: |_| Time(7),
};

fn chain(kinds: &[UnaryKind]) -> Graph {
    let mut graph = Graph::new("chain");
    let mut value = graph.input("x", TensorType::f32([4, 8]));
    for &kind in kinds {
        let origin = vec![Unary { kind }.mnemonic().to_owned()];
        value = graph.add(Unary { kind }, &[value], origin).expect("fits")[0];
    }
    graph.output("y", value);
    graph
}

#[test]
fn what_is_registered_is_used() {
    let host = Device::named("host").expect("is built in");
    let fused = |graph: &Graph| fuse(graph, &host, &Options::default()).expect("has kernels");
    let free = fused(&chain(&[UnaryKind::Exp])).statistics.price;

    register(&[RULE], &[CHECK], &[COST]).expect("the names are free");

    assert!(catalogue().iter().any(|r| r.law == RULE.law));
    let graph = example(RULE.name, 1).expect("is registered");
    assert_eq!(apply(RULE.name, &graph).expect("applies").nodes.len(), 1);

    assert_eq!(codes(), [*CHECK.code]);
    let apart = fused(&chain(&[UnaryKind::Exp, UnaryKind::Sin, UnaryKind::Tanh]));
    assert_eq!(apart.groups.len(), 3);
    let reasons: Vec<_> = apart.refusals.iter().map(|r| r.code.code()).collect();
    assert_eq!(reasons, ["sines-alone", "sines-alone"]);

    let priced = fused(&chain(&[UnaryKind::Exp]));
    assert_eq!(priced.statistics.price, free + Time(7));
    assert_eq!(priced.groups[0].price.total, priced.statistics.price);

    let again = register(&[RULE], &[], &[]).expect_err("is taken");
    assert_eq!(again.to_string(), "two rules are called 'floor-of-ceil'");
    let clash = LegalityCheck {
        code: &OutsideCode {
            code: "cycle",
            meaning: "",
            flip: "",
        },
        ..CHECK
    };
    let again = register(&[], &[clash], &[]).expect_err("is taken");
    assert_eq!(again.to_string(), "two legality codes are called 'cycle'");
}
