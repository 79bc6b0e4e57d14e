//! `graph-saturate`: all ways to compute each value that the rules find.
//!
//! Takes a module with a model function of operators, in classes or not (of a class its chosen member
//! counts). Leaves a `graph.eclass` for every value with several ways to compute it; `chosen` is the
//! cheapest. A way that needs the value itself, or one that is only just being computed, has no place
//! in a function and is left out. Refuses functions with unknown extents, and rules that do not exist.

use std::collections::BTreeMap;

use melior::ir::operation::OperationRef;
use sinter_fusion::export::{ClassTerm, Classes, ValueClass, classes};
use sinter_fusion::{Limits, Options};
use sinter_ir::build::{Parts, operation};
use sinter_ir::graph::{NodeBuilder, module_with};
use sinter_ir::rewrite::context_of;
use sinter_ir::{IrError, attr, location, types};
use sinter_ops::{Graph, ValueId};
use sinter_pass::{Failure, Pass, PassInfo};

use crate::graph_fuse::{Numerics, control, text_rules};
use crate::model::{model, replace_model};

sinter_pass::options! {
    /// Options of [`GraphSaturate`].
    pub struct GraphSaturateOptions {
        /// How far a rule may change results
        numerics: Numerics = Numerics::Reassociating,
        /// Rules (names or globs) or topics that alone are applied; all where empty
        rules: Vec<String> = Vec::new(),
        /// Rules (names or globs) or topics that are not applied
        disabled_rules: Vec<String> = Vec::new(),
        /// File of further rules in text
        text_rules: String = String::new(),
        /// TOML file of what the user insists on
        config: String = String::new(),
        /// File to write the e-graph to, as JSON of `egraph-serialize`
        export: String = String::new(),
        /// Most iterations
        iterations: usize = 12,
        /// Most e-nodes
        nodes: usize = 200_000,
    }
}

/// The pass.
pub struct GraphSaturate;

impl Pass for GraphSaturate {
    type Options = GraphSaturateOptions;

    const INFO: PassInfo = PassInfo {
        name: "graph-saturate",
        summary: "All ways to compute each value that the rules find",
        description: "Equality saturation, with its result as `graph.eclass`es, for tests and study.",
        anchor: Some("builtin.module"),
        dialects: &["graph", "func"],
    };

    fn run(&self, op: OperationRef<'_, '_>, options: &Self::Options) -> Result<(), Failure> {
        let graph = model(op)?;
        let export = &options.export;
        let options = Options {
            numerics: options.numerics.into(),
            only_rules: options.rules.clone(),
            disabled_rules: options.disabled_rules.clone(),
            text_rules: text_rules(&options.text_rules)?,
            control: control(&options.config)?,
            limits: Limits {
                iterations: options.iterations,
                nodes: options.nodes,
                ..Limits::default()
            },
            ..Options::default()
        };
        let classes = classes(&graph, &options)?;
        if !export.is_empty() {
            let written = classes.to_json().map_err(std::io::Error::other);
            written
                .and_then(|json| {
                    sinter_io::replace(export.as_ref(), |out| out.write_all(json.as_bytes()))
                })
                .map_err(|e| Failure::message(format!("cannot write '{export}': {e}")))?;
        }
        let placed = Placement::of(&graph, &classes)?;
        let made = module_with(context_of(op), &placed.graph, |nodes| placed.emit(nodes))?;
        replace_model(op, &made)
    }
}

enum Step {
    /// A node of the graph, by number.
    Node(usize),
    /// A class whose members have been computed; the first stands for all from here on.
    Class(Vec<ValueId>, Vec<String>),
}

/// The classes in an order in which each comes after what it needs.
struct Placement<'a> {
    classes: &'a Classes,
    graph: Graph,
    /// The value of each class; `None` while it is being computed.
    values: BTreeMap<usize, Option<ValueId>>,
    steps: Vec<Step>,
}

impl<'a> Placement<'a> {
    fn of(original: &Graph, classes: &'a Classes) -> Result<Self, Failure> {
        let mut placement = Self {
            classes,
            graph: Graph::new(original.name.clone()),
            values: BTreeMap::new(),
            steps: Vec::new(),
        };
        for (name, value) in &original.inputs {
            placement
                .graph
                .input(name.clone(), original.ty(*value).clone());
        }
        for (name, class) in &classes.outputs {
            let value = placement.place(*class)?.ok_or_else(|| {
                Failure::message(format!("output '{name}' needs itself to be computed"))
            })?;
            placement.graph.output(name.clone(), value);
        }
        Ok(placement)
    }

    /// The value of a class, with everything it needs before it; `None` when that needs a class which
    /// is only just being computed.
    fn place(&mut self, class: usize) -> Result<Option<ValueId>, Failure> {
        if let Some(&known) = self.values.get(&class) {
            return Ok(known);
        }
        self.values.insert(class, None);
        let ValueClass {
            terms,
            chosen,
            origins,
            ..
        } = &self.classes.classes[class];
        let first = chosen.unwrap_or(0);
        let rest = (0..terms.len()).filter(|&t| t != first);
        let mut members = Vec::new();
        for term in [first].into_iter().chain(rest) {
            members.extend(self.term(&terms[term], origins)?);
            if members.is_empty() {
                self.values.remove(&class);
                return Ok(None);
            }
        }
        let value = members.first().copied();
        if members.len() > 1 {
            self.steps.push(Step::Class(members, origins.clone()));
        }
        self.values.insert(class, value);
        Ok(value)
    }

    fn term(&mut self, term: &ClassTerm, origins: &[String]) -> Result<Option<ValueId>, Failure> {
        match term {
            ClassTerm::Input(name) => Ok(self
                .graph
                .inputs
                .iter()
                .find(|(n, _)| n == name)
                .map(|(_, value)| *value)),
            ClassTerm::Constant(number) => Ok(self
                .classes
                .constants
                .get(number)
                .map(|tensor| self.graph.constant(tensor.clone()))),
            ClassTerm::Result(..) => Err(Failure::message(
                "an operator with several results has no class of its own",
            )),
            ClassTerm::Operator(op, operands) => {
                let mut values = Vec::new();
                for &operand in operands {
                    match self.place(operand)? {
                        Some(value) => values.push(value),
                        None => return Ok(None),
                    }
                }
                let made = self.graph.add(op.clone(), &values, origins.to_vec())?;
                self.steps.push(Step::Node(self.graph.nodes.len() - 1));
                Ok(made.first().copied())
            }
        }
    }

    fn emit(&self, nodes: &mut NodeBuilder<'_, '_, '_>) -> Result<(), IrError> {
        for step in &self.steps {
            match step {
                Step::Node(number) => nodes.node(&self.graph.nodes[*number])?,
                Step::Class(members, origins) => {
                    let context = nodes.context();
                    let operands: Result<Vec<_>, _> =
                        members.iter().map(|&v| nodes.value(v)).collect();
                    let parts = Parts {
                        operands: operands?,
                        results: vec![types::tensor_type(context, self.graph.ty(members[0]))],
                        attributes: vec![("chosen", attr::int(context, 0))],
                        ..Parts::default()
                    };
                    let place = location::from_origins(context, origins);
                    let class = operation(context, "graph.eclass", place, parts)?;
                    nodes.append(class, &members[..1])?;
                }
            }
        }
        Ok(())
    }
}
