//! `graph-fuse`: operators into kernels.
//!
//! Takes a module with a model function of operators. Leaves `graph.group`s: one per kernel, each with
//! the layouts of what it reads and writes, the schedule that its price assumes, and the decision.
//! Operators obey their attributes `graph.never_fuse`, `graph.boundary` (stored), `graph.must_fuse =
//! "NAME"` (one kernel with the others of that name), `graph.numerics = "CLASS"` and `graph.disable =
//! ["RULE"]`, and those of a `graph.composite` are one kernel where the device has such a kernel. A
//! composite with a kernel is weighed against its operators; what loses is dropped.
//! Remarks: passed for every fused group, missed for every refusal with its code, analysis for the price
//! of every kernel and of the program. Refuses functions with unknown extents, and operators that have
//! no kernel on the device; those are missed remarks too.

use std::collections::BTreeSet;
use std::path::Path;

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, RegionLike};
use sinter_device::{Device, Time};
use sinter_fusion::rules::load_rules;
use sinter_fusion::{Control, Cost, Fused, Group, Limits, Options, TextRule, fuse};
use sinter_ir::graph::op_name;
use sinter_ir::rewrite::{context_of, erase};
use sinter_ir::{attr, location};
use sinter_ops::{Graph, OwnKernel};
use sinter_pass::remark::{Remark, emit_remark};
use sinter_pass::{Failure, Pass, PassInfo};
use sinter_sys::shim::RemarkKind;

use crate::fused_module::fused_to_module;
use crate::model::{model, replace_model};
use crate::unfusable;

sinter_pass::choice! {
    /// How kernels are chosen among the candidates.
    pub enum Policy {
        None = "none",
        Greedy = "greedy",
        Postdom = "postdom",
        Dp = "dp",
        Egraph = "egraph",
        Ilp = "ilp",
    }
}

sinter_pass::choice! {
    /// How far results may differ.
    pub enum Numerics {
        Exact = "exact",
        Rounding = "rounding",
        Reassociating = "reassociating",
        Approximate = "approximate",
    }
}

sinter_pass::options! {
    /// Options of [`GraphFuse`].
    pub struct GraphFuseOptions {
        /// Device name or file
        device: String = "host".to_owned(),
        /// How kernels are chosen among the candidates
        policy: Policy = Policy::Egraph,
        /// How far results may differ from the unfused ones
        numerics: Numerics = Numerics::Reassociating,
        /// Refusals, the dearest first, whose thresholds are searched for
        thresholds: usize = 10,
        /// Rewrite rules (names or globs) or topics that are not applied
        disabled_rules: Vec<String> = Vec::new(),
        /// TOML file of what the user insists on
        config: String = String::new(),
        /// File of further rewrite rules in text
        text_rules: String = String::new(),
        /// What is minimised: time, bytes, kernels, or a TOML file of weights
        cost: String = "time".to_owned(),
    }
}

/// The pass.
pub struct GraphFuse;

impl Pass for GraphFuse {
    type Options = GraphFuseOptions;

    const INFO: PassInfo = PassInfo {
        name: "graph-fuse",
        summary: "Operators into kernels",
        description: "Chooses layouts and groups; every group carries its schedule, price and \
                      decision, the function every refusal.",
        anchor: Some("builtin.module"),
        dialects: &["graph", "tloop", "func"],
    };

    fn run(&self, op: OperationRef<'_, '_>, options: &Self::Options) -> Result<(), Failure> {
        let device = Device::load(&options.device)?;
        let graph = model(op).inspect_err(|_| unfusable::remarks(op))?;
        let fused = fuse(&graph, &device, &fusion_options(options)?)?;
        remarks(op, &fused);
        replace_model(op, &fused_to_module(context_of(op), &fused)?)?;
        drop_kernels(op, &graph, &fused.graph);
        Ok(())
    }
}

/// Drops own kernels that no composite names any more.
fn drop_kernels(module: OperationRef<'_, '_>, before: &Graph, after: &Graph) {
    let named = |graph: &Graph| -> BTreeSet<String> {
        let own = graph.nodes.iter().filter_map(|n| OwnKernel::of(&n.op));
        own.map(|own| own.kernel().name.clone()).collect()
    };
    let (before, after) = (named(before), named(after));
    let block = module.region(0).ok().and_then(|r| r.first_block());
    let mut next = block.and_then(|b| b.first_operation());
    while let Some(op) = next {
        next = op.next_in_block();
        let symbol = op.attribute("sym_name").ok().and_then(attr::as_str);
        let dropped = |name: &str| before.contains(name) && !after.contains(name);
        if op_name(op) == "tloop.kernel" && symbol.is_some_and(dropped) {
            erase(op);
        }
    }
}

impl From<Numerics> for sinter_fusion::Numerics {
    fn from(numerics: Numerics) -> Self {
        match numerics {
            Numerics::Exact => Self::Exact,
            Numerics::Rounding => Self::Rounding,
            Numerics::Reassociating => Self::Reassociating,
            Numerics::Approximate => Self::Approximate,
        }
    }
}

/// The control of a file; none without a name.
pub(crate) fn control(file: &str) -> Result<Control, Failure> {
    match file {
        "" => Ok(Control::default()),
        file => Ok(Control::load(Path::new(file))?),
    }
}

/// The rules of a file; none without a name.
pub(crate) fn text_rules(file: &str) -> Result<Vec<TextRule>, Failure> {
    if file.is_empty() {
        return Ok(Vec::new());
    }
    Ok(load_rules(Path::new(file))?)
}

fn fusion_options(options: &GraphFuseOptions) -> Result<Options, Failure> {
    Ok(Options {
        policy: match options.policy {
            Policy::None => sinter_fusion::Policy::None,
            Policy::Greedy => sinter_fusion::Policy::Greedy,
            Policy::Postdom => sinter_fusion::Policy::Postdom,
            Policy::Dp => sinter_fusion::Policy::Dp,
            Policy::Egraph => sinter_fusion::Policy::Egraph,
            Policy::Ilp => sinter_fusion::Policy::Ilp,
        },
        numerics: options.numerics.into(),
        disabled_rules: options.disabled_rules.clone(),
        control: control(&options.config)?,
        text_rules: text_rules(&options.text_rules)?,
        cost: Cost::load(&options.cost)?,
        limits: Limits {
            thresholds: options.thresholds,
            ..Limits::default()
        },
        ..Options::default()
    })
}

fn remarks(op: OperationRef<'_, '_>, fused: &Fused) {
    let context = context_of(op);
    for group in &fused.groups {
        let place = location::from_origins(context, &group.origins);
        if group.nodes.len() > 1 {
            let metrics = [("saved_bytes", group.bytes_saved.to_string())];
            let remark = of_group(group, "fused", &group.decision, &metrics);
            emit_remark(RemarkKind::Passed, place, &remark);
        }
        let (message, metrics) = (price(group), price_metrics(group));
        let remark = of_group(group, "price", &message, &metrics);
        emit_remark(RemarkKind::Analysis, place, &remark);
    }
    for own in fused.own_kernels.iter().filter(|own| own.taken) {
        let remark = Remark {
            name: "own-kernel",
            category: GraphFuse::INFO.name,
            function: &own.kernel,
            message: &own.message,
            ..Remark::default()
        };
        let place = location::from_origins(context, &own.nodes);
        emit_remark(RemarkKind::Passed, place, &remark);
    }
    for refusal in &fused.refusals {
        let remark = Remark {
            name: refusal.code.code(),
            category: GraphFuse::INFO.name,
            message: &refusal.message,
            suggestion: refusal.flip.as_deref().unwrap_or_default(),
            metrics: &[
                ("saved_bytes", refusal.saved_bytes.to_string()),
                ("saved_ns", refusal.saved.ns().to_string()),
            ],
            ..Remark::default()
        };
        let place = location::from_origins(context, &refusal.nodes);
        emit_remark(RemarkKind::Missed, place, &remark);
    }
    let remark = Remark {
        name: "program",
        category: GraphFuse::INFO.name,
        message: &program(fused),
        ..Remark::default()
    };
    emit_remark(RemarkKind::Analysis, op.location(), &remark);
}

fn of_group<'a>(
    group: &'a Group,
    name: &'a str,
    message: &'a str,
    metrics: &'a [(&'a str, String)],
) -> Remark<'a> {
    Remark {
        name,
        category: GraphFuse::INFO.name,
        function: &group.kernel.name,
        message,
        metrics,
        ..Remark::default()
    }
}

fn us(time: Time) -> String {
    format!("{:.1} us", time.ns() / 1e3)
}

fn price(group: &Group) -> String {
    let price = format!(
        "{}, {} bytes on chip",
        us(group.price.total),
        group.price.chip_bytes
    );
    match &group.runner_up {
        Some(r) => format!(
            "{price}; runner-up: {}, {} instead of {}",
            r.change,
            us(r.price),
            us(r.instead_of)
        ),
        None => price,
    }
}

fn price_metrics(group: &Group) -> [(&'static str, String); 2] {
    [
        ("price_ns", group.price.total.ns().to_string()),
        ("chip_bytes", group.price.chip_bytes.to_string()),
    ]
}

fn program(fused: &Fused) -> String {
    let s = &fused.statistics;
    let bound = s.lower_bound.map_or_else(String::new, |b| {
        format!(", no choice among the candidates is below {}", us(b))
    });
    format!(
        "{} operators in {} kernels, {}{bound}",
        s.operators,
        s.kernels,
        us(s.price)
    )
}
