//! Reads of splat constants become literals.

use sinter_loops::nest::{Access, Nest};
use sinter_loops::scalar::{Body, FloatBits, Inst, Reg};

/// Replaces reads of operands of which every element is the value that `splat` gives.
pub(super) fn inline(stage: &mut Nest, splat: impl Fn(usize) -> Option<f64>) {
    let literal = |access: &Access| match access.pad {
        None => splat(access.operand),
        Some(_) => None,
    };
    if !stage.contract {
        let literals: Vec<_> = stage.reads.iter().map(literal).collect();
        retain_reads(&mut stage.reads, &literals);
        stage.body = with_literals(&stage.body, &literals);
    }
    let accumulators = stage.finish.args.len() - stage.finish_reads.len();
    let read = stage.finish_reads.iter().map(literal);
    let literals: Vec<_> = std::iter::repeat_n(None, accumulators)
        .chain(read)
        .collect();
    retain_reads(&mut stage.finish_reads, &literals[accumulators..]);
    stage.finish = with_literals(&stage.finish, &literals);
}

fn retain_reads(reads: &mut Vec<Access>, literals: &[Option<f64>]) {
    let mut remain = literals.iter().map(Option::is_none);
    reads.retain(|_| remain.next().unwrap_or(true));
}

/// The body with some arguments fixed.
fn with_literals(body: &Body, literals: &[Option<f64>]) -> Body {
    let fixed = literals.iter().flatten().count();
    if fixed == 0 {
        return body.clone();
    }
    let mut out = Body::default();
    let kept = body.args.len() - fixed;
    let mut registers: Vec<Reg> = Vec::with_capacity(body.args.len() + body.insts.len());
    for (&ty, literal) in body.args.iter().zip(literals) {
        match literal {
            Some(value) => {
                registers.push(kept + out.insts.len());
                out.insts.push(Inst::Const(ty, FloatBits::new(*value)));
            }
            None => {
                registers.push(out.args.len());
                out.args.push(ty);
            }
        }
    }
    for inst in &body.insts {
        let inst = inst.map_operands(|r| registers[r]);
        registers.push(kept + out.insts.len());
        out.insts.push(inst);
    }
    out.results = body.results.iter().map(|&r| registers[r]).collect();
    out
}
