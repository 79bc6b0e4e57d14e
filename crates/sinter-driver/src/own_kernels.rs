//! Kernels that the user wrote for units of a model that does not know of them.
//!
//! A file of MLIR holds the units: composites with a kernel, in whatever functions. Where the model has the
//! operators of such a unit, they become the unit, and fusion takes its kernel where that is cheaper.

use std::path::Path;

use sinter_fusion::Control;
use sinter_ir::Context;
use sinter_ir::graph::{function_to_graph, op_name};
use sinter_ir::walk::operations;
use sinter_ops::own::adopt;
use sinter_ops::simplify::{Options, simplify};
use sinter_ops::{Graph, OpError, OwnKernel};

use crate::error::Error;

/// The graph with the units of a file in the place of their operators.
///
/// # Errors
/// When the file is no module with such units, or a unit is nowhere in the graph.
pub(crate) fn adopt_all(graph: Graph, file: &Path, control: &Control) -> Result<Graph, Error> {
    let mut graph = graph;
    let units = units(file)?;
    let known = |name: &String| units.iter().any(|u| u.unit() == name);
    if let Some(other) = control.own_kernel.iter().find(|o| !known(&o.unit)) {
        let (unit, file) = (&other.unit, file.display());
        let text = format!("[[own-kernel]] names the unit '{unit}', which '{file}' does not have");
        return Err(Error::Request(text));
    }
    for unit in &units {
        let places = control.own_kernel_places(unit.unit())?;
        let among = |node: &sinter_ops::Node| places.allow(&node.origins);
        let (adopted, count) = adopt(&graph, unit, &among).map_err(|e| fault(file, &e))?;
        if count == 0 {
            return Err(Error::Request(format!(
                "own kernels '{}': '{}' is nowhere in the model; its operators, attributes, constants and types must be \
                 those of the model (sinter compile --emit graph shows them)",
                file.display(),
                unit.unit()
            )));
        }
        tracing::info!("{} is {count} times in the model", unit.unit());
        graph = adopted;
    }
    Ok(graph)
}

/// The units of a file, each kernel once, in order; simplified as the model is.
fn units(file: &Path) -> Result<Vec<OwnKernel>, Error> {
    let context = Context::new();
    let module = context.parse_file(file)?;
    let mut out: Vec<OwnKernel> = Vec::new();
    for op in operations(module.body()) {
        if op_name(op) != "func.func" {
            continue;
        }
        for node in &function_to_graph(op)?.nodes {
            let Some(own) = OwnKernel::of(&node.op) else {
                continue;
            };
            if out.iter().any(|o| o.kernel().name == own.kernel().name) {
                continue;
            }
            let simple = simplify(own.meaning(), &Options::default());
            let own = simple.and_then(|s| OwnKernel::new(own.unit(), own.kernel().clone(), s));
            out.push(own.map_err(|e| fault(file, &e))?);
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

fn fault(file: &Path, cause: &OpError) -> Error {
    Error::Request(format!("own kernels '{}': {cause}", file.display()))
}
