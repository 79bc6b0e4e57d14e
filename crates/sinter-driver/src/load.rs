//! A model that is ready to run, from whatever file the user names.

use std::path::Path;

use sinter_ir::Context;
use sinter_ir::graph::{module_to_graph, module_to_named_graph};
use sinter_ir::melior::ir::operation::OperationLike;
use sinter_ir::melior::ir::{Module, RegionLike};
use sinter_ir::walk::operations;
use sinter_model::{Container, StageTime, Statistics};
use sinter_ops::Graph;
use sinter_pass::pipelines;
use sinter_runtime::Model;

use crate::assemble::{assemble, main_ports};
use crate::compile::{Clock, Compiled, compile, describe, device};
use crate::error::Error;
use crate::machine_code::machine_code;
use crate::options::CompileOptions;

/// Loads an offline model, or compiles an ONNX model or an MLIR module first; with the compile time per
/// stage.
///
/// # Errors
/// When the file is neither, or cannot be compiled or loaded.
pub(crate) fn load(
    path: &Path,
    options: &CompileOptions,
) -> Result<(Model, Vec<StageTime>), Error> {
    let kind = path
        .extension()
        .and_then(|e| e.to_str())
        .unwrap_or_default();
    match kind {
        "sinter" => Ok((sinter_runner::load(path)?, Vec::new())),
        _ => {
            let compiled = compile(path, options)?;
            let container = Container::from_bytes(&compiled.bytes)?;
            Ok((Model::from_container(container)?, compiled.timing))
        }
    }
}

/// Whether a file is named as a module.
pub(crate) fn is_module(path: &Path) -> bool {
    let kind = path.extension().and_then(|e| e.to_str());
    matches!(kind, Some("mlir" | "mlirbc"))
}

/// The graph of a module whose kernels are not chosen yet; `None` for one that is past that. With `named`,
/// the module and its operators have names for people to read.
///
/// # Errors
/// When the file is no module, or its function holds what is no operator.
pub(crate) fn module_graph(path: &Path, named: bool) -> Result<Option<Graph>, Error> {
    let context = Context::new();
    let module = context.parse_file(path)?;
    let made = Made::of(&module);
    match made.groups || made.kernels || made.program {
        true => return Ok(None),
        false if !named => return Ok(Some(module_to_graph(&module)?)),
        false => {}
    }
    let mut graph = module_to_named_graph(&module)?;
    if graph.name.is_empty() {
        let stem = path.file_stem().unwrap_or_default();
        graph.name = stem.to_string_lossy().into_owned();
    }
    Ok(Some(graph))
}

/// Compiles a module whose kernels are chosen.
pub(crate) fn compile_lowered(path: &Path, options: &CompileOptions) -> Result<Compiled, Error> {
    let context = Context::new();
    let module = context.parse_file(path)?;
    let (bytes, timing) = compile_parsed(&context, module, options)?;
    let statistics = Container::from_bytes(&bytes)?.manifest().statistics.clone();
    Ok(Compiled {
        bytes,
        statistics,
        timing,
        saturation: Vec::new(),
    })
}

/// Compiles the text of a module at any level.
pub(crate) fn compile_module(
    source: &[u8],
    options: &CompileOptions,
) -> Result<(Vec<u8>, Vec<StageTime>), Error> {
    let context = Context::new();
    let module = context.parse(source)?;
    compile_parsed(&context, module, options)
}

/// Compiles a module at any level: what it holds says which steps are left.
fn compile_parsed<'c>(
    context: &'c Context,
    mut module: Module<'c>,
    options: &CompileOptions,
) -> Result<(Vec<u8>, Vec<StageTime>), Error> {
    let (device, name) = device(options)?;
    let (inputs, outputs) = main_ports(&module)?;
    let mut clock = Clock::default();
    let made = Made::of(&module);
    if !made.program {
        if !made.kernels {
            if !made.groups {
                let fuse = sinter_pass::Pipeline {
                    name: "fuse",
                    summary: "",
                    options: pipelines::COMPILE.options,
                    steps: &pipelines::COMPILE.steps[..2],
                };
                let values = [name.as_str(), &options.fusion, &options.numerics];
                clock.steps(context, &mut module, &fuse.expand(&values))?;
            }
            clock.pipeline(context, &mut module, &pipelines::GRAPH_TO_TLOOP, &name)?;
        } else if !made.schedules {
            let rest = sinter_pass::Pipeline {
                steps: &pipelines::GRAPH_TO_TLOOP.steps[1..],
                ..pipelines::GRAPH_TO_TLOOP
            };
            clock.pipeline(context, &mut module, &rest, &name)?;
        }
        clock.pipeline(context, &mut module, &pipelines::TLOOP_TO_NPU, &name)?;
    } else if !made.plan {
        let rest = sinter_pass::Pipeline {
            steps: &pipelines::TLOOP_TO_NPU.steps[1..],
            ..pipelines::TLOOP_TO_NPU
        };
        clock.pipeline(context, &mut module, &rest, &name)?;
    }
    let assembled = assemble(&module, inputs, outputs)?;
    let object = machine_code(&module, None, &mut clock)?;
    let statistics = Statistics {
        kernels: assembled.kernels.len() as u64,
        peak_bytes: assembled.arena_bytes,
        policy: options.fusion.clone(),
        ..Statistics::default()
    };
    let manifest = describe(
        &device,
        &assembled,
        &module,
        "module".to_owned(),
        serde_json::Value::Null,
        statistics,
    );
    Ok((
        sinter_model::to_bytes(&manifest, &object, assembled.weights.bytes())?,
        clock.stages,
    ))
}

/// What a module on its way to a device program already holds.
#[derive(Default)]
struct Made {
    groups: bool,
    kernels: bool,
    schedules: bool,
    program: bool,
    plan: bool,
}

impl Made {
    fn of(module: &Module<'_>) -> Self {
        let mut made = Self::default();
        for op in operations(module.body()) {
            match op.name().as_string_ref().as_str() {
                Ok("tloop.kernel") => made.schedules |= op.has_attribute("schedule"),
                Ok("npu.program") => {
                    made.program = true;
                    made.plan |= op.has_attribute("arena_bytes");
                }
                _ => {
                    let body = op.region(0).ok().and_then(|r| r.first_block());
                    let ops = body.map(operations).unwrap_or_default();
                    let holds = |name: &str| {
                        let mut names = ops.iter().map(|op| op.name());
                        names.any(|n| n.as_string_ref().as_str() == Ok(name))
                    };
                    made.groups |= holds("graph.group");
                    // A kernel that nothing launches is a composite's own.
                    made.kernels |= holds("tloop.launch");
                }
            }
        }
        made
    }
}

/// Compiles and runs a small program, and checks what comes out.
///
/// # Errors
/// When any step fails or the result is wrong.
pub(crate) fn self_test() -> Result<String, Error> {
    const SOURCE: &str = "func.func @main(%x: tensor<2x8xf32> {graph.name = \"x\"}) \
        -> (tensor<2x8xf32> {graph.name = \"y\"}) {\n\
        %0 = graph.relu %x : tensor<2x8xf32>\n\
        %1 = graph.add %0, %x : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>\n\
        return %1 : tensor<2x8xf32>\n}";
    let (bytes, _) = compile_module(SOURCE.as_bytes(), &CompileOptions::default())?;
    let model = Model::from_container(Container::from_bytes(&bytes)?)?;
    let mut session = sinter_runner::session(&model, Some(1), false)?;
    let values: Vec<f32> = (0..16u8).map(|i| f32::from(i) - 8.0).collect();
    let input = sinter_loops::tensor::Tensor::from_f32([2, 8], &values);
    let outputs = sinter_runner::run_session(&model, &mut session, &[input])?;
    let right = outputs[0]
        .1
        .to_f32s()
        .iter()
        .zip(&values)
        .all(|(y, x)| *y == x.max(0.0) + x);
    if right {
        Ok("a small program compiles, runs and is right".to_owned())
    } else {
        Err(Error::Request(
            "a small program gives wrong results".to_owned(),
        ))
    }
}
