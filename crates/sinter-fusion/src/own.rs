//! Kernels that the user wrote for units of his own, weighed against the operators of the units.
//!
//! A unit's operators are free: rewritten, fused with what is around them, cut. Its kernel is loops like
//! an operator's, and fuses with what is around it as well. The program is made with the operators, then
//! with each kernel in turn, and a kernel that makes the program cheaper stays. All uses of a kernel are
//! decided together: they have the same shapes. A kernel is compared with its unit's operators on random
//! operands before.

use std::collections::BTreeSet;

use sinter_device::Time;
use sinter_loops::interp;
use sinter_loops::random;
use sinter_ops::own::inlined;
use sinter_ops::{Graph, Mark, Node, Operator, OwnKernel};

use crate::cost::Cost;
use crate::error::FusionError;
use crate::fused::{Fused, OwnChoice};
use crate::legality::{LegalityCode, Refusal};
use crate::options::{Numerics, Options};

/// The numerics class of own kernels: the order of their reductions is the writer's.
const CLASS: Numerics = Numerics::Reassociating;
/// Random operands on which a kernel is compared with its unit, unless that is more work than:
const TRIES: u64 = 8;
/// points of loops, of all tries; there is one try at least.
const POINTS: u64 = 1 << 22;

/// The cheapest program over the choices of own kernels; with the operators of all units where there is
/// nothing to be weighed.
pub(crate) fn weighed(
    graph: &Graph,
    options: &Options,
    weighs: bool,
    fuse: &dyn Fn(&Graph) -> Result<Fused, FusionError>,
) -> Result<Fused, FusionError> {
    let kernels = kernels(graph);
    if kernels.is_empty() {
        return fuse(graph);
    }
    let with = |kept: &BTreeSet<&str>| {
        let made = inlined(graph, &|name| kept.contains(name));
        made.map_err(|cause| FusionError::Rewrite {
            origin: graph.name.clone(),
            cause: cause.to_string(),
        })
    };
    let mut kept = BTreeSet::new();
    let plain = fuse(&with(&kept)?)?;
    let mut best = plain.clone();
    let mut choices = Vec::new();
    for uses in &kernels {
        let own = uses[0].1;
        for (_, own) in uses {
            check_own_kernel(own)?;
        }
        let mut choice = OwnChoice {
            kernel: own.kernel().name.clone(),
            unit: own.unit().to_owned(),
            nodes: uses.iter().flat_map(|(n, _)| names(n)).collect(),
            taken: false,
            price: None,
            instead_of: best.statistics.price,
            message: String::new(),
        };
        if !weighs {
            choice.message = format!("the policy {} takes the operators", options.policy);
        } else if options.numerics_limit() < CLASS {
            choice.message = format!(
                "own kernels are {CLASS}, the limit is {}",
                options.numerics_limit()
            );
        } else {
            kept.insert(own.kernel().name.as_str());
            match fuse(&with(&kept)?) {
                Ok(program) => {
                    choice.price = Some(program.statistics.price);
                    choice.taken = cost(&program, options) < cost(&best, options);
                    choice.message = figures(&choice, uses.len());
                    if choice.taken {
                        best = program;
                    }
                }
                Err(cause @ FusionError::NoKernel { .. }) => choice.message = cause.to_string(),
                Err(cause) => return Err(cause),
            }
            if !choice.taken {
                kept.remove(own.kernel().name.as_str());
            }
        }
        choices.push(choice);
    }
    let (figures, unfused) = (&mut best.statistics, &plain.statistics);
    figures.operators = unfused.operators;
    figures.unfused_intermediate_bytes = unfused.unfused_intermediate_bytes;
    figures.unfused_price = unfused.unfused_price;
    for choice in choices.iter().filter(|c| !c.taken) {
        let refusal = refusal(choice, &best);
        best.refusals.push(refusal);
    }
    best.own_kernels = choices;
    Ok(best)
}

/// Own kernels in the order of their first uses, each with its uses.
fn kernels(graph: &Graph) -> Vec<Vec<(&Node, &OwnKernel)>> {
    let mut out: Vec<Vec<(&Node, &OwnKernel)>> = Vec::new();
    for node in &graph.nodes {
        let Some(own) = OwnKernel::of(&node.op) else {
            continue;
        };
        let same =
            |uses: &&mut Vec<(&Node, &OwnKernel)>| uses[0].1.kernel().name == own.kernel().name;
        match out.iter_mut().find(same) {
            Some(uses) => uses.push((node, own)),
            None => out.push(vec![(node, own)]),
        }
    }
    out
}

fn names(node: &Node) -> impl Iterator<Item = String> + '_ {
    node.origins.iter().filter(|o| !Mark::is(o)).cloned()
}

/// What the search minimises, of a whole program.
fn cost(fused: &Fused, options: &Options) -> (u64, Time) {
    let first = match &options.cost {
        Cost::Bytes => {
            let prices = fused.groups.iter().map(|g| &g.price);
            prices.map(|p| p.read_bytes + p.written_bytes).sum()
        }
        Cost::Kernels => fused.groups.len() as u64,
        Cost::Time | Cost::Weights(_) => 0,
    };
    (first, fused.statistics.price)
}

fn figures(choice: &OwnChoice, uses: usize) -> String {
    let us = |time: Time| time.ns() / 1e3;
    let uses = match uses {
        1 => String::new(),
        n => format!(" ({n} uses)"),
    };
    let price = choice.price.unwrap_or(Time::MAX);
    format!(
        "the program takes {:.2} us with @{}{uses}, {:.2} us with the operators of {}",
        us(price),
        choice.kernel,
        us(choice.instead_of),
        choice.unit
    )
}

fn refusal(choice: &OwnChoice, fused: &Fused) -> Refusal {
    let flip = choice
        .price
        .map(|price| match price.saturating_sub(choice.instead_of) {
            Time::ZERO => format!("if @{} took any less", choice.kernel),
            more => format!(
                "if @{} took {:.2} us less",
                choice.kernel,
                (more.0 / 10_000 + 1) as f64 / 100.0
            ),
        });
    let concerned = |origins: &[String]| origins.iter().any(|o| choice.nodes.contains(o));
    let groups = fused.groups.iter().enumerate();
    Refusal {
        code: LegalityCode::OwnKernel,
        nodes: choice.nodes.clone(),
        message: choice.message.clone(),
        flip,
        saved_bytes: 0,
        saved: Time::ZERO,
        kernels: groups
            .filter(|(_, g)| concerned(&g.origins))
            .map(|(place, _)| place)
            .collect(),
        flips: Vec::new(),
    }
}

/// Compares a kernel with what its unit means, on random operands.
///
/// # Errors
/// [`FusionError::OwnKernel`] with a counterexample.
pub fn check_own_kernel(own: &OwnKernel) -> Result<(), FusionError> {
    let (kernel, meaning) = (own.kernel(), own.meaning());
    let fault = |cause: String| FusionError::OwnKernel {
        kernel: kernel.name.clone(),
        unit: own.unit().to_owned(),
        cause,
    };
    let extents = kernel.stages.iter().map(|s| s.iters.iter());
    let points: u64 = extents
        .map(|iters| iters.map(|i| i.extent.max(1) as u64).product::<u64>())
        .sum();
    for seed in 0..(POINTS / points.max(1)).clamp(1, TRIES) {
        let inputs = meaning.inputs.iter();
        let operands: Vec<_> = inputs
            .map(|(name, v)| random::tensor(meaning.ty(*v), name, seed))
            .collect();
        let meant = own.eval(&operands).map_err(|e| fault(e.to_string()))?;
        let made = interp::run(kernel, &operands);
        for (result, (meant, made)) in meant.iter().zip(&made).enumerate() {
            let (meant, made) = (meant.to_f64s(), made.to_f64s());
            if let Some(at) = CLASS.first_difference(&meant, &made) {
                return Err(fault(format!(
                    "with the random operands of seed {seed}, element {at} of result {result} is {}, \
                     of the unit's operators {}",
                    made[at], meant[at]
                )));
            }
        }
    }
    Ok(())
}
