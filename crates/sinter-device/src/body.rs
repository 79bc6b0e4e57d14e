//! What the scalar body of a nest costs.

use std::collections::BTreeSet;

use sinter_loops::scalar::{BinaryFn, Body, Inst, UnaryFn};

use crate::device::Device;

/// Vector additions that one vector of results costs.
pub(crate) fn vector_operations(body: &Body, device: &Device) -> f64 {
    let live = live_insts(body);
    live.into_iter()
        .map(|i| function_cost(function_of(&body.insts[i]), device))
        .sum()
}

/// Largest number of values that are live at once, arguments included; literals live in memory.
pub(crate) fn live_values(body: &Body) -> i64 {
    let live = live_insts(body);
    let args = body.args.len();
    let mut last_use = vec![0; args + body.insts.len()];
    for &i in &live {
        for reg in operands(&body.insts[i]) {
            last_use[reg] = i + 1;
        }
    }
    for &reg in &body.results {
        last_use[reg] = body.insts.len() + 1;
    }
    let is_value = |reg: usize| reg < args || !matches!(body.insts[reg - args], Inst::Const(..));
    let mut most = args as i64;
    for &at in &live {
        let count = (0..=args + at)
            .filter(|&r| {
                is_value(r) && (r < args || live.contains(&(r - args))) && last_use[r] > at + 1
            })
            .count();
        most = most.max(count as i64);
    }
    most
}

/// Instructions whose result reaches a result of the body.
fn live_insts(body: &Body) -> BTreeSet<usize> {
    let args = body.args.len();
    let mut live = BTreeSet::new();
    let mut stack: Vec<_> = body.results.clone();
    while let Some(reg) = stack.pop() {
        if reg >= args && live.insert(reg - args) {
            stack.extend(operands(&body.insts[reg - args]));
        }
    }
    live
}

fn operands(inst: &Inst) -> Vec<usize> {
    match *inst {
        Inst::Const(..) | Inst::Index(_) => vec![],
        Inst::Unary(_, a) | Inst::Cast(_, a) => vec![a],
        Inst::Binary(_, a, b) | Inst::Compare(_, a, b) => vec![a, b],
        Inst::Select(c, a, b) => vec![c, a, b],
    }
}

/// The name of an instruction's function in a device file; empty for literals.
fn function_of(inst: &Inst) -> &'static str {
    match inst {
        Inst::Const(..) => "",
        Inst::Index(_) => "index",
        Inst::Compare(..) => "compare",
        Inst::Select(..) => "select",
        Inst::Cast(..) => "cast",
        Inst::Unary(f, _) => match f {
            UnaryFn::Neg | UnaryFn::Abs | UnaryFn::Not => "add",
            UnaryFn::Floor | UnaryFn::Ceil | UnaryFn::Round => "round",
            UnaryFn::Exp => "exp",
            UnaryFn::Log => "log",
            UnaryFn::Sqrt => "sqrt",
            UnaryFn::Rsqrt => "rsqrt",
            UnaryFn::Tanh => "tanh",
            UnaryFn::Erf => "erf",
            UnaryFn::Sin => "sin",
            UnaryFn::Cos => "cos",
        },
        Inst::Binary(f, ..) => match f {
            BinaryFn::Add
            | BinaryFn::Sub
            | BinaryFn::Max
            | BinaryFn::Min
            | BinaryFn::And
            | BinaryFn::Or
            | BinaryFn::Xor => "add",
            BinaryFn::Mul => "mul",
            BinaryFn::Div => "div",
            BinaryFn::Pow => "pow",
            BinaryFn::Rem => "rem",
        },
    }
}

fn function_cost(name: &str, device: &Device) -> f64 {
    match name {
        "" => 0.0,
        name => device.vector.functions.get(name).copied().unwrap_or(1.0),
    }
}

#[cfg(test)]
mod tests {
    use sinter_loops::scalar::FloatBits;
    use sinter_loops::types::ElementType::F32;

    use super::*;

    #[test]
    fn dead_instructions_and_literals_are_free() {
        let device = Device::named("host").unwrap();
        let body = Body {
            args: vec![F32],
            insts: vec![
                Inst::Const(F32, FloatBits::new(2.0)),
                Inst::Binary(BinaryFn::Mul, 0, 1),
                Inst::Unary(UnaryFn::Exp, 0),
            ],
            results: vec![2],
        };
        assert_eq!(vector_operations(&body, &device), 1.0);
        assert_eq!(live_values(&body), 1);
    }

    #[test]
    fn functions_cost_what_the_device_says() {
        let device = Device::named("host").unwrap();
        let body = Body {
            args: vec![F32],
            insts: vec![Inst::Unary(UnaryFn::Exp, 0)],
            results: vec![1],
        };
        assert_eq!(
            vector_operations(&body, &device),
            device.vector.functions["exp"]
        );
    }
}
