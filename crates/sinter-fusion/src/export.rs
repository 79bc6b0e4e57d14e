//! The e-graph as plain data and text, for tests, study and the `graph.eclass` passes.
//!
//! Two sorts: a *value* `v` and, for every value that may be stored, a *buffer* `b`. The law
//! `load(store[L](v)) = v` makes `load(b)` a term of the value's class for every layout `L`; it is
//! shown with the layout as a variable, which is how extraction uses it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use egg::Id;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;
use sinter_ops::{Graph, Op, Operator};

use crate::egraph::{Term, best, term_cost};
use crate::error::FusionError;
use crate::options::Options;
use crate::priced_terms::PricedTerms;
use crate::saturate::saturated;

/// One way to compute a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClassTerm {
    /// A graph input, by name.
    Input(String),
    /// A constant, by its number.
    Constant(u32),
    /// An operator on classes, by their places in [`Classes::classes`].
    Operator(Op, Vec<usize>),
    /// A further result of an operator with several.
    Result(u32, usize),
}

/// A value with all ways to compute it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueClass {
    /// Its type.
    pub ty: TensorType,
    /// The ways, in a fixed order.
    pub terms: Vec<ClassTerm>,
    /// What each costs by itself, in the units of extraction.
    pub costs: Vec<u64>,
    /// The way that is chosen, by place in `terms`; `None` where each of them needs the value itself.
    pub chosen: Option<usize>,
    /// ONNX nodes.
    pub origins: Vec<String>,
}

/// A saturated graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Classes {
    /// Classes, operands not necessarily before their users.
    pub classes: Vec<ValueClass>,
    /// Class of each graph output, by name.
    pub outputs: Vec<(String, usize)>,
    /// The constants that terms speak of, by number.
    pub constants: BTreeMap<u32, Tensor>,
}

/// Saturates a graph and shows its classes.
///
/// # Errors
/// When a disabled rule does not exist.
pub fn classes(graph: &Graph, options: &Options) -> Result<Classes, FusionError> {
    let (imported, _) = saturated(graph, options, false)?;
    let egraph = &imported.egraph;
    let priced = PricedTerms::on(None, options);
    let chosen = best(egraph, &|class, term| priced.allow(egraph, class, term));
    let mut ids: Vec<Id> = egraph.classes().map(|c| c.id).collect();
    ids.sort_unstable();
    let place: BTreeMap<Id, usize> = ids.iter().enumerate().map(|(n, &id)| (id, n)).collect();
    let number = |id: &Id| place[&egraph.find(*id)];
    let shown = |term: &Term| match term {
        Term::Input(n) => ClassTerm::Input(graph.inputs[*n as usize].0.clone()),
        Term::Constant(n) => ClassTerm::Constant(*n),
        Term::Result(n, [of]) => ClassTerm::Result(*n, number(of)),
        Term::Apply(op, operands) | Term::Opaque(_, op, operands) => {
            ClassTerm::Operator(op.clone(), operands.iter().map(number).collect())
        }
    };
    let class = |id: &Id| {
        let class = &egraph[*id];
        let mut terms = class.nodes.clone();
        terms.sort_unstable();
        terms.dedup_by(|a, b| shown(a) == shown(b));
        let chosen = chosen
            .get(id)
            .and_then(|c| terms.iter().position(|t| shown(t) == shown(c)));
        let names = &egraph.analysis.names;
        let origins: BTreeSet<_> = class.data.origins.values().flatten().collect();
        ValueClass {
            ty: class.data.types[0].clone(),
            costs: terms.iter().map(|t| term_cost(egraph, *id, t)).collect(),
            terms: terms.iter().map(shown).collect(),
            chosen,
            origins: origins
                .into_iter()
                .map(|&n| names[n as usize].clone())
                .collect(),
        }
    };
    let outputs = graph
        .outputs
        .iter()
        .map(|(name, value)| (name.clone(), number(&imported.classes[value])));
    let used = egraph.classes().flat_map(|class| &class.nodes);
    let constants = used.filter_map(|term| match term {
        Term::Constant(n) => Some((*n, egraph.analysis.constants.get(*n).clone())),
        _ => None,
    });
    Ok(Classes {
        classes: ids.iter().map(class).collect(),
        outputs: outputs.collect(),
        constants: constants.collect(),
    })
}

impl Classes {
    /// The e-graph as JSON in the form of the `egraph-serialize` crate, which e-graph viewers read.
    ///
    /// Class `vN` is a value and class `bN` the buffer it may be stored in, with the law between both.
    /// Roots are the buffers of the outputs.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        let mut egraph = egraph_serialize::EGraph::default();
        let node = |op: String, children: Vec<String>, class: String, cost: u64| {
            let cost = egraph_serialize::Cost::new(cost as f64).unwrap_or_default();
            let children = children.into_iter().map(Into::into).collect();
            egraph_serialize::Node {
                op,
                children,
                eclass: class.into(),
                cost,
                subsumed: false,
            }
        };
        for (n, class) in self.classes.iter().enumerate() {
            for (t, (term, &cost)) in class.terms.iter().zip(&class.costs).enumerate() {
                let children = term.operands().iter().map(|o| format!("v{o}.0"));
                let made = node(term.label(), children.collect(), format!("v{n}"), cost);
                egraph.add_node(format!("v{n}.{t}"), made);
            }
            let load = node("load".into(), vec![format!("b{n}.0")], format!("v{n}"), 0);
            egraph.add_node(format!("v{n}.load"), load);
            let store = node("store".into(), vec![format!("v{n}.0")], format!("b{n}"), 0);
            egraph.add_node(format!("b{n}.0"), store);
            let origins = [("origins".to_owned(), class.origins.join(", "))];
            let data = egraph_serialize::ClassData {
                typ: Some(class.ty.to_string()),
                extra: origins.into_iter().filter(|o| !o.1.is_empty()).collect(),
            };
            egraph.class_data.insert(format!("v{n}").into(), data);
        }
        for (_, class) in &self.outputs {
            egraph.root_eclasses.push(format!("b{class}").into());
        }
        serde_json::to_string_pretty(&egraph)
    }
}

impl ClassTerm {
    /// Classes of its operands.
    fn operands(&self) -> &[usize] {
        match self {
            Self::Input(_) | Self::Constant(_) => &[],
            Self::Operator(_, operands) => operands,
            Self::Result(_, of) => std::slice::from_ref(of),
        }
    }

    /// The operator with its attributes, without operands.
    fn label(&self) -> String {
        match self {
            Self::Input(name) => format!("input {name}"),
            Self::Constant(n) => format!("constant {n}"),
            Self::Result(n, _) => format!("result {n}"),
            Self::Operator(op, _) => {
                let attribute = |(k, v): (&str, sinter_ops::Attr)| format!(" {k}={}", shown(&v));
                let attributes = op.attributes().into_iter().map(attribute);
                format!("{}{}", op.mnemonic(), attributes.collect::<String>())
            }
        }
    }
}

/// An attribute as rules in text write it.
fn shown(attribute: &sinter_ops::Attr) -> String {
    use sinter_ops::Attr;
    let list = |items: Vec<String>| format!("[{}]", items.join(","));
    match attribute {
        Attr::Int(n) => n.to_string(),
        Attr::Float(x) => x.get().to_string(),
        Attr::Ints(all) => list(all.iter().map(i64::to_string).collect()),
        Attr::Floats(all) => list(all.iter().map(|x| x.get().to_string()).collect()),
        Attr::Str(text) => text.clone(),
        Attr::Bool(truth) => truth.to_string(),
        Attr::Element(element) => element.mlir().to_owned(),
    }
}

impl fmt::Display for Classes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, class) in self.classes.iter().enumerate() {
            writeln!(f, "v{n}: {}", class.ty)?;
            for (t, term) in class.terms.iter().enumerate() {
                let mark = if class.chosen == Some(t) { '=' } else { '|' };
                writeln!(f, "  {mark} {term}")?;
            }
            writeln!(f, "  | load(b{n})")?;
            writeln!(f, "b{n}: buffer of v{n}\n  | store[L](v{n})")?;
        }
        for (name, class) in &self.outputs {
            writeln!(f, "output {name}: b{class}")?;
        }
        Ok(())
    }
}

impl fmt::Display for ClassTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(name) => write!(f, "load(input {name})"),
            Self::Constant(n) => write!(f, "load(constant {n})"),
            Self::Result(n, of) => write!(f, "result {n} of v{of}"),
            Self::Operator(op, operands) => {
                let operands: Vec<_> = operands.iter().map(|o| format!("v{o}")).collect();
                write!(f, "{}({})", op.mnemonic(), operands.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::example;

    #[test]
    fn classes_hold_both_sides_and_the_law() {
        let graph = example("silu-from-product", 1).unwrap();
        let classes = classes(&graph, &Options::default()).unwrap();
        let text = classes.to_string();
        for part in [
            "  = silu(v",
            "  | mul(v",
            "| load(b0)",
            "store[L](v0)",
            "output y: b",
        ] {
            assert!(text.contains(part), "no '{part}' in\n{text}");
        }
    }

    #[test]
    fn the_json_is_an_e_graph_whose_children_exist() {
        let graph = example("silu-from-product", 1).unwrap();
        let classes = classes(&graph, &Options::default()).unwrap();
        let text = classes.to_json().unwrap();
        assert_eq!(text, classes.to_json().unwrap());
        let read: egraph_serialize::EGraph = serde_json::from_str(&text).unwrap();
        let has = |op: &str| read.nodes.values().any(|n| n.op == op);
        assert!(
            has("silu") && has("mul") && has("load") && has("store"),
            "{text}"
        );
        for node in read.nodes.values() {
            assert!(node.children.iter().all(|c| read.nodes.contains_key(c)));
        }
        assert_eq!(read.root_eclasses.len(), 1);
    }
}
