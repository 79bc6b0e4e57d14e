//! How many operators, operands, results, and matrix products or convolutions a kernel may have.

use sinter_ops::form::form;
use sinter_ops::{NodeId, Operator, ValueId};

use crate::evaluate::{Evaluator, Illegal};
use crate::flip::{Change, Flip, KernelLimit};
use crate::legality::LegalityCode;

impl Evaluator<'_> {
    /// Whether a kernel of these nodes keeps to the limits, as far as that can be counted before it is
    /// formed.
    pub(crate) fn check_limits(
        &self,
        nodes: &[NodeId],
        outputs: &[ValueId],
    ) -> Result<(), Illegal> {
        let exceeded = self.counted(nodes, outputs);
        exceeded
            .into_iter()
            .map(|l| self.over(&[l]))
            .next()
            .map_or(Ok(()), Err)
    }

    /// The limits that a kernel of these nodes exceeds, with how many it has, as far as that can be
    /// counted before it is formed.
    fn counted(&self, nodes: &[NodeId], outputs: &[ValueId]) -> Vec<(KernelLimit, usize)> {
        let node = |n: &NodeId| &self.graph.nodes[n.0 as usize];
        let anchors = nodes.iter().filter(|n| node(n).op.traits().contraction);
        let mut out = vec![
            (KernelLimit::Operators, nodes.len()),
            (KernelLimit::Outputs, outputs.len()),
            (KernelLimit::Anchors, anchors.count()),
        ];
        out.retain(|(limit, count)| *count > limit.of(self.limits));
        out
    }

    /// All limits that a kernel exceeds, with how many it has.
    pub(crate) fn exceeded(
        &self,
        nodes: &[NodeId],
        outputs: &[ValueId],
    ) -> Vec<(KernelLimit, usize)> {
        let mut out = self.counted(nodes, outputs);
        if let Ok(formed) = form(self.graph, nodes, outputs, &self.stored) {
            let inputs = formed.kernel.arguments().count();
            out.extend(
                (inputs > self.limits.kernel_inputs).then_some((KernelLimit::Inputs, inputs)),
            );
        }
        out
    }

    /// The refusal of a kernel that exceeds limits.
    pub(crate) fn over(&self, exceeded: &[(KernelLimit, usize)]) -> Illegal {
        let counts = exceeded.iter().map(|(limit, count)| {
            let (what, most) = (limit.what(), limit.of(self.limits));
            format!("{count} {what}, the limit is {most}")
        });
        let counts: Vec<_> = counts.collect();
        Illegal {
            code: LegalityCode::Limit,
            message: format!("the kernel would have {}", counts.join("; ")),
            flip: Some(Flip::Change(Change::Limits(exceeded.to_vec())).text()),
        }
    }
}
