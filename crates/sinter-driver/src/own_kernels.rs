//! Kernels that the user wrote for units of a model that does not know of them.
//!
//! A file of MLIR holds the units: composites with a kernel, in whatever functions. Where the model has the
//! operators of such a unit, they become the unit, and fusion takes its kernel where that is cheaper.

use std::path::Path;

use sinter_fusion::{Control, check_own_kernel};
use sinter_ir::Context;
use sinter_ir::graph::{function_to_graph, op_name};
use sinter_ir::location::file_line;
use sinter_ir::melior::ir::operation::{OperationLike, OperationRef};
use sinter_ir::walk::{inside, operations};
use sinter_ops::own::adopt;
use sinter_ops::simplify::{Options, simplify};
use sinter_ops::{Graph, OwnKernel};

use crate::error::Error;

/// The graph with the units of a file in the place of their operators.
///
/// # Errors
/// When the file is no module with such units, or a unit is nowhere in the graph.
pub(crate) fn adopt_all(graph: Graph, file: &Path, control: &Control) -> Result<Graph, Error> {
    let mut graph = graph;
    let units = units(file)?;
    let known = |name: &String| units.iter().any(|u| u.own.unit() == name);
    if let Some(other) = control.own_kernel.iter().find(|o| !known(&o.unit)) {
        let (unit, file) = (&other.unit, file.display());
        let text = format!("[[own-kernel]] names the unit '{unit}', which '{file}' does not have");
        return Err(Error::Request(text));
    }
    for Unit { own: unit, place } in &units {
        let places = control.own_kernel_places(unit.unit())?;
        let among = |node: &sinter_ops::Node| places.allow(&node.origins);
        let (adopted, count) = adopt(&graph, unit, &among).map_err(|e| fault(place, &e))?;
        if count == 0 {
            return Err(Error::Request(format!(
                "own kernels '{}': '{}' is nowhere in the model; its operators, attributes, constants and types must be \
                 those of the model (sinter compile --emit graph shows them)",
                place,
                unit.unit()
            )));
        }
        // Fusion does so too, but knows of no file.
        check_own_kernel(unit).map_err(|e| fault(place, &e))?;
        tracing::info!("{} is {count} times in the model", unit.unit());
        graph = adopted;
    }
    Ok(graph)
}

/// A unit with a kernel.
struct Unit {
    own: OwnKernel,
    /// `file:line` of its first composite.
    place: String,
}

/// The units of a file, each kernel once, in order; simplified as the model is.
fn units(file: &Path) -> Result<Vec<Unit>, Error> {
    let context = Context::new();
    let module = context.parse_file(file)?;
    let place = |op: OperationRef<'_, '_>| {
        file_line(op.location()).unwrap_or_else(|| file.display().to_string())
    };
    let mut out: Vec<Unit> = Vec::new();
    for op in operations(module.body()) {
        if op_name(op) != "func.func" {
            continue;
        }
        let graph = function_to_graph(op).map_err(|e| fault(&place(op), &e))?;
        for node in &graph.nodes {
            let Some(own) = OwnKernel::of(&node.op) else {
                continue;
            };
            let kernel = &own.kernel().name;
            if out.iter().any(|o| o.own.kernel().name == *kernel) {
                continue;
            }
            let named = |composite: &OperationRef<'_, '_>| {
                let symbol = composite.attribute("kernel");
                symbol.is_ok_and(|s| s.to_string() == format!("@{kernel}"))
            };
            let composite = inside(op, "graph.composite").into_iter().find(named);
            let place = place(composite.unwrap_or(op));
            let simple = simplify(own.meaning(), &Options::default());
            let own = simple.and_then(|s| OwnKernel::new(own.unit(), own.kernel().clone(), s));
            let own = own.map_err(|e| fault(&place, &e))?;
            out.push(Unit { own, place });
        }
    }
    match out.is_empty() {
        true => Err(Error::Request(format!(
            "own kernels '{}': no graph.composite in it has a kernel",
            file.display()
        ))),
        false => Ok(out),
    }
}

fn fault(place: &str, cause: &dyn std::error::Error) -> Error {
    Error::Request(format!("own kernels '{place}': {cause}"))
}
