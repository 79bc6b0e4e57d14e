//! Prints of what the compiler knows, on standard error; the module is left as it is.
//!
//! | pass | on | prints |
//! |---|---|---|
//! | `test-print-egraph` | operators | every value with all ways to compute it that the rules find |
//! | `test-print-legality` | operators | every pair of kernels that stayed apart, with the code of the refusal |
//! | `test-print-price` | `tloop.kernel`s | what each takes on a device, part by part |
//! | `test-print-plan` | planned programs and kernels | the place of every buffer and tile |

use std::fmt::Write as _;

use melior::ir::ValueLike;
use melior::ir::operation::{OperationLike, OperationRef};
use sinter_device::{Device, price_of, schedule};
use sinter_fusion::export::{ClassTerm, Classes, classes};
use sinter_fusion::{Options, fuse};
use sinter_ir::graph::op_name;
use sinter_ir::walk::{blocks, inside, operations};
use sinter_ir::{attr, op_to_kernel, types};
use sinter_ops::Operator;
use sinter_pass::{Entry, Failure, NoOptions, Pass, PassInfo, options};
use sinter_transforms::model::model;

/// All of them.
pub(crate) fn all() -> [Entry; 4] {
    [
        Entry::new(PrintEgraph),
        Entry::new(PrintLegality),
        Entry::new(PrintPrice),
        Entry::new(PrintPlan),
    ]
}

const fn info(name: &'static str, summary: &'static str) -> PassInfo {
    PassInfo {
        name,
        summary,
        description: "For tests and study. The module is left as it is.",
        anchor: Some("builtin.module"),
        dialects: &[],
    }
}

options! {
    /// A device.
    pub struct OnDevice {
        /// Device name or file
        device: String = "host".to_owned(),
    }
}

/// Every value with all ways to compute it.
pub struct PrintEgraph;

impl Pass for PrintEgraph {
    type Options = NoOptions;
    const INFO: PassInfo = info("test-print-egraph", "Prints the saturated e-graph");

    fn run(&self, op: OperationRef<'_, '_>, _: &NoOptions) -> Result<(), Failure> {
        let classes = classes(&model(op)?, &Options::default())?;
        sinter_io::say_part!("{}", egraph(&classes));
        Ok(())
    }
}

/// A line per way, the chosen one with a star.
fn egraph(classes: &Classes) -> String {
    let mut out = String::new();
    for (place, class) in classes.classes.iter().enumerate() {
        let _ = writeln!(out, "v{place}: {}", class.ty);
        for (i, (term, cost)) in class.terms.iter().zip(&class.costs).enumerate() {
            let chosen = if class.chosen == Some(i) { '*' } else { ' ' };
            let _ = writeln!(out, "  {chosen} {}  (cost {cost})", way(term));
        }
    }
    for (name, class) in &classes.outputs {
        let _ = writeln!(out, "output {name}: v{class}");
    }
    out
}

fn way(term: &ClassTerm) -> String {
    match term {
        ClassTerm::Input(name) => format!("input {name}"),
        ClassTerm::Constant(number) => format!("constant {number}"),
        ClassTerm::Result(number, of) => format!("result {number} of v{of}"),
        ClassTerm::Operator(op, operands) => {
            let operands: Vec<_> = operands.iter().map(|v| format!("v{v}")).collect();
            format!("{}({})", op.mnemonic(), operands.join(", "))
        }
    }
}

/// Every refusal with its code.
pub struct PrintLegality;

impl Pass for PrintLegality {
    type Options = OnDevice;
    const INFO: PassInfo = info(
        "test-print-legality",
        "Prints which kernels stayed apart, and the code of the refusal",
    );

    fn run(&self, op: OperationRef<'_, '_>, options: &OnDevice) -> Result<(), Failure> {
        let device = Device::load(&options.device)?;
        let fused = fuse(&model(op)?, &device, &Options::default())?;
        for refusal in &fused.refusals {
            let (code, nodes) = (refusal.code.code(), refusal.nodes.join(" | "));
            let flip = refusal.flip.as_deref().unwrap_or("nothing known");
            sinter_io::say!("{code}: {nodes}: {}; flips: {flip}", refusal.message);
        }
        sinter_io::say!(
            "{} kernels, {} refusals",
            fused.groups.len(),
            fused.refusals.len()
        );
        Ok(())
    }
}

/// What each kernel takes.
pub struct PrintPrice;

impl Pass for PrintPrice {
    type Options = OnDevice;
    const INFO: PassInfo = info(
        "test-print-price",
        "Prints what each kernel takes on a device, with its schedule or the cheapest",
    );

    fn run(&self, op: OperationRef<'_, '_>, options: &OnDevice) -> Result<(), Failure> {
        let device = Device::load(&options.device)?;
        for kernel in inside(op, "tloop.kernel") {
            let kernel = op_to_kernel(kernel)?;
            let price = match &kernel.schedule {
                Some(known) => price_of(&kernel, known, &device),
                None => schedule(&kernel, &device).map(|(_, price)| price),
            };
            let price = match price {
                Ok(price) => price,
                Err(refusal) => {
                    sinter_io::say!(
                        "@{}: no schedule on {}: {refusal}",
                        kernel.name,
                        device.name
                    );
                    continue;
                }
            };
            sinter_io::say!(
                "@{}: {:.1} ns on {}: launch {:.1}, vector {:.1}, matrix {:.1}, memory {:.1}, fill and \
                 drain {:.1}; {} bytes read, {} written, {} on chip, {} blocks",
                kernel.name,
                price.total.ns(),
                device.name,
                price.launch.ns(),
                price.vector.ns(),
                price.matrix.ns(),
                price.memory.ns(),
                price.fill_drain.ns(),
                price.read_bytes,
                price.written_bytes,
                price.chip_bytes,
                price.blocks
            );
        }
        Ok(())
    }
}

/// The place of every buffer and tile.
pub struct PrintPlan;

impl Pass for PrintPlan {
    type Options = NoOptions;
    const INFO: PassInfo = info(
        "test-print-plan",
        "Prints the places that buffers and tiles were planned at",
    );

    fn run(&self, op: OperationRef<'_, '_>, _: &NoOptions) -> Result<(), Failure> {
        for holder in blocks(op).into_iter().flat_map(operations) {
            let symbol = holder.attribute("sym_name").ok().and_then(attr::as_str);
            match (op_name(holder).as_str(), symbol) {
                ("npu.program", Some(symbol)) => {
                    let arena = holder.attribute("arena_bytes").ok().and_then(attr::as_int);
                    sinter_io::say!("@{symbol}: arena of {} bytes", arena.unwrap_or(0));
                }
                ("npu.kernel", Some(symbol)) => sinter_io::say!("@{symbol}: tiles"),
                _ => continue,
            }
            sinter_io::say_part!("{}", places(holder));
        }
        Ok(())
    }
}

fn places(inside: OperationRef<'_, '_>) -> String {
    let mut out = String::new();
    for op in blocks(inside).into_iter().flat_map(operations) {
        if ["npu.view", "npu.alloc", "npu.buffer"].contains(&op_name(op).as_str())
            && let Ok(result) = op.result(0)
        {
            let ty = result.r#type();
            let bytes = types::from_shaped_type(ty).map_or(0, |t| t.bytes());
            let _ = match op.attribute("offset").ok().and_then(attr::as_int) {
                Some(at) => writeln!(out, "  [{at}, {}) {ty}", at + bytes),
                None => writeln!(out, "  the caller's, {bytes} bytes: {ty}"),
            };
        }
        out.push_str(&places(op));
    }
    out
}
