//! A model that is ready to run, from whatever file the user names.

use std::path::Path;

use sinter_ir::Context;
use sinter_model::{Container, StageTime, Statistics};
use sinter_pass::pipelines;
use sinter_runtime::Model;

use crate::assemble::{assemble, main_ports};
use crate::compile::{Clock, compile, describe, device};
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
        "sinter" => Ok((Model::load(path)?, Vec::new())),
        "mlir" | "mlirbc" => {
            let source = std::fs::read(path).map_err(|source| Error::Io {
                action: "read",
                path: path.into(),
                source,
            })?;
            let (bytes, timing) = compile_module(&source, options)?;
            Ok((
                Model::from_container(Container::from_bytes(&bytes)?)?,
                timing,
            ))
        }
        _ => {
            let compiled = compile(path, options)?;
            let container = Container::from_bytes(&compiled.bytes)?;
            Ok((Model::from_container(container)?, compiled.timing))
        }
    }
}

/// Compiles a module at any level: what it holds says which steps are left.
pub(crate) fn compile_module(
    source: &[u8],
    options: &CompileOptions,
) -> Result<(Vec<u8>, Vec<StageTime>), Error> {
    let (device, name) = device(options)?;
    let context = Context::new();
    let mut module = context.parse(source)?;
    let (inputs, outputs) = main_ports(&module)?;
    let mut clock = Clock::default();
    let text = module.as_operation().to_string();
    let has = |what: &str| text.contains(what);
    if !has("npu.program") {
        if !has("tloop.kernel") {
            if !has("graph.group") {
                let fuse = sinter_pass::Pipeline {
                    name: "fuse",
                    summary: "",
                    options: pipelines::COMPILE.options,
                    steps: &pipelines::COMPILE.steps[..2],
                };
                let values = [name.as_str(), &options.fusion, &options.numerics];
                clock.steps(&context, &mut module, &fuse.expand(&values))?;
            }
            clock.pipeline(&context, &mut module, &pipelines::GRAPH_TO_TLOOP, &name)?;
        } else if !has("schedule =") {
            let rest = sinter_pass::Pipeline {
                steps: &pipelines::GRAPH_TO_TLOOP.steps[1..],
                ..pipelines::GRAPH_TO_TLOOP
            };
            clock.pipeline(&context, &mut module, &rest, &name)?;
        }
        clock.pipeline(&context, &mut module, &pipelines::TLOOP_TO_NPU, &name)?;
    } else if !has("arena_bytes") {
        let rest = sinter_pass::Pipeline {
            steps: &pipelines::TLOOP_TO_NPU.steps[1..],
            ..pipelines::TLOOP_TO_NPU
        };
        clock.pipeline(&context, &mut module, &rest, &name)?;
    }
    let assembled = assemble(&module, inputs, outputs)?;
    let object = machine_code(&module, &mut clock)?;
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
    let mut session = crate::execute::session(&model, Some(1), false)?;
    let values: Vec<f32> = (0..16u8).map(|i| f32::from(i) - 8.0).collect();
    let input = sinter_loops::tensor::Tensor::from_f32([2, 8], &values);
    let outputs = crate::execute::run_session(&model, &mut session, &[input])?;
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
