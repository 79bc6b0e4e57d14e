//! From an ONNX model to an offline model, and to text at every level.

use std::path::Path;
use std::time::Instant;

use sinter_codegen::Target;
use sinter_device::{Device, HostCpu};
use sinter_fusion::statistics::Saturation;
use sinter_fusion::{Fused, Limits};
use sinter_ir::Context;
use sinter_ir::melior::ir::Module;
use sinter_ir::melior::ir::operation::OperationLike;
use sinter_ir::module::{PrintOptions, print};
use sinter_model::{Extent, Manifest, Port, Space, StageTime, Statistics};
use sinter_onnx::ImportOptions;
use sinter_ops::{Graph, ValueId};
use sinter_pass::pipelines;

use crate::assemble::{Assembled, assemble};
use crate::error::Error;
use crate::load;
use crate::machine_code::{bitcode, machine_code};
use crate::options::{CompileOptions, Level};
use crate::own_kernels;

/// A compiled model, not yet in a file.
#[derive(Debug)]
pub struct Compiled {
    /// The container.
    pub bytes: Vec<u8>,
    /// Figures, as the container has them.
    pub statistics: Statistics,
    /// Where the time went.
    pub timing: Vec<StageTime>,
    /// What equality saturation did.
    pub saturation: Vec<Saturation>,
}

/// How a program is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Text without the data of large constants, for reading.
    Excerpt,
    /// Text that can be read back.
    Text,
    /// MLIR bytecode.
    Bytecode,
}

/// A program at a level.
#[derive(Debug)]
pub struct Emitted {
    /// The text, or bytecode.
    pub bytes: Vec<u8>,
    /// What equality saturation did, as far as the level needs it.
    pub saturation: Vec<Saturation>,
}

impl Compiled {
    /// Writes the model to a file, whole or not at all.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        Ok(sinter_model::write_bytes(path, &self.bytes)?)
    }
}

/// Compiles an ONNX model, or an MLIR module at any level.
///
/// # Errors
/// When the model cannot be imported or the device file read, and where a stage finds a fault.
pub fn compile(path: &Path, options: &CompileOptions) -> Result<Compiled, Error> {
    refuse_compiled(path)?;
    if load::is_module(path) && load::module_graph(path, false)?.is_none() {
        return load::compile_lowered(path, options);
    }
    let mut clock = Clock::default();
    let device = device(options)?;
    let graph = import(path, options, &mut clock)?;
    finish(&graph, device, options, clock)
}

/// Compiles a graph that was made by other means than from an ONNX model; sizes are already in it.
///
/// # Errors
/// As [`compile`].
pub fn compile_graph(graph: &Graph, options: &CompileOptions) -> Result<Compiled, Error> {
    let mut clock = Clock::default();
    let device = device(options)?;
    let graph = fold(graph, &mut clock)?;
    finish(&graph, device, options, clock)
}

/// Refuses an offline model where one is to be compiled.
fn refuse_compiled(path: &Path) -> Result<(), Error> {
    match path.extension() {
        Some(kind) if kind == "sinter" => Err(Error::Request(format!(
            "'{}' is compiled already: run it with `sinter run`, or give the ONNX model that it was made from",
            path.display()
        ))),
        _ => Ok(()),
    }
}

fn finish(
    graph: &Graph,
    (device, device_name): (Device, String),
    options: &CompileOptions,
    mut clock: Clock,
) -> Result<Compiled, Error> {
    let fused = fuse(graph, &device, options, Limits::default(), &mut clock)?;
    let context = Context::new();
    let mut module = clock.time("groups to IR", || {
        Ok(sinter_transforms::fused_module::fused_to_module(
            &context, &fused,
        )?)
    })?;
    clock.pipeline(
        &context,
        &mut module,
        &pipelines::GRAPH_TO_TLOOP,
        &device_name,
    )?;
    clock.pipeline(
        &context,
        &mut module,
        &pipelines::TLOOP_TO_NPU,
        &device_name,
    )?;
    let assembled = clock.time("weights and program", || {
        let (inputs, outputs) = ports(graph);
        Ok(assemble(&module, inputs, outputs)?)
    })?;
    let object = machine_code(&module, options.jobs, &mut clock)?;
    let manifest = manifest(&fused, &device, &assembled, &module)?;
    let bytes = clock.time("container", || {
        Ok(sinter_model::to_bytes(
            &manifest,
            &object,
            assembled.weights.bytes(),
        )?)
    })?;
    Ok(Compiled {
        bytes,
        statistics: manifest.statistics,
        timing: clock.stages,
        saturation: fused.saturation,
    })
}

/// The program at a level.
///
/// # Errors
/// As [`compile`]; when bytecode is asked for of a level that is not MLIR.
pub fn emit(
    path: &Path,
    options: &CompileOptions,
    level: Level,
    form: Form,
) -> Result<Emitted, Error> {
    if form == Form::Bytecode && matches!(level, Level::Egraph | Level::Llvm | Level::Asm) {
        return Err(Error::Request(format!(
            "level '{level}' has no MLIR bytecode"
        )));
    }
    refuse_compiled(path)?;
    let mut clock = Clock::default();
    let (device, device_name) = device(options)?;
    let graph = import(path, options, &mut clock)?;
    let unfused = |bytes| Emitted {
        bytes,
        saturation: Vec::new(),
    };
    if level == Level::Egraph {
        let classes = sinter_fusion::export::classes(&graph, &options.fusion_options()?)?;
        let text = classes.to_json().map(String::into_bytes);
        return text
            .map(unfused)
            .map_err(|e| Error::Request(format!("the e-graph cannot be written: {e}")));
    }
    let context = Context::new();
    let written = |module: &Module<'_>| match form {
        Form::Bytecode => Ok(module.as_operation().write_bytecode()),
        _ => {
            let options = PrintOptions {
                elide_above: (form == Form::Excerpt).then_some(16),
                ..PrintOptions::default()
            };
            let text = print(&module.as_operation(), options).map(String::into_bytes);
            text.map_err(Error::from)
        }
    };
    if level == Level::Graph {
        return written(&sinter_ir::graph_to_module(&context, &graph)?).map(unfused);
    }
    let fused = fuse(&graph, &device, options, Limits::default(), &mut clock)?;
    let emitted = |bytes| Emitted {
        bytes,
        saturation: fused.saturation.clone(),
    };
    let mut module = sinter_transforms::fused_module::fused_to_module(&context, &fused)?;
    if level == Level::Fused {
        return written(&module).map(emitted);
    }
    clock.pipeline(
        &context,
        &mut module,
        &pipelines::GRAPH_TO_TLOOP,
        &device_name,
    )?;
    if level == Level::Tloop {
        return written(&module).map(emitted);
    }
    clock.pipeline(
        &context,
        &mut module,
        &pipelines::TLOOP_TO_NPU,
        &device_name,
    )?;
    if level == Level::Npu {
        return written(&module).map(emitted);
    }
    let target = Target::host();
    let parts = bitcode(&module, &target, options.jobs, &mut clock)?;
    let texts: Result<Vec<_>, _> = parts
        .iter()
        .map(|part| match level {
            Level::Asm => sinter_codegen::assembly(part, &target),
            _ => sinter_codegen::ir_text(part, &target, true),
        })
        .collect();
    Ok(emitted(texts?.join("\n").into_bytes()))
}

/// The device, and the name by which passes load the same one.
pub(crate) fn device(options: &CompileOptions) -> Result<(Device, String), Error> {
    let name = format!("{}+{}", options.device, HostCpu::detect().name());
    let device = Device::load(&name)?;
    match options.threads {
        Some(threads) if !device.is_scratchpad() => {
            let cores = u32::try_from(threads.max(1)).unwrap_or(u32::MAX);
            Ok((device.with_cores(cores), format!("{name}+{cores}cores")))
        }
        _ => Ok((device, name)),
    }
}

/// The model as a graph of folded operators, with units where the user has kernels for them.
pub(crate) fn import(
    path: &Path,
    options: &CompileOptions,
    clock: &mut Clock,
) -> Result<Graph, Error> {
    let graph = import_plain(path, options, false, clock)?;
    adopted(graph, options, clock)
}

/// As [`import`], with names for people to read where a module has none.
pub(crate) fn import_named(
    path: &Path,
    options: &CompileOptions,
    clock: &mut Clock,
) -> Result<Graph, Error> {
    let graph = import_plain(path, options, true, clock)?;
    adopted(graph, options, clock)
}

fn adopted(graph: Graph, options: &CompileOptions, clock: &mut Clock) -> Result<Graph, Error> {
    let control = options.control()?;
    match &options.own_kernels {
        Some(file) => clock.time("own kernels", || {
            own_kernels::adopt_all(graph, file, &control)
        }),
        None if control.own_kernel.is_empty() => Ok(graph),
        None => Err(Error::Request(
            "[[own-kernel]] says where kernels written by hand are tried; --own-kernels FILE.mlir gives them".to_owned(),
        )),
    }
}

fn import_plain(
    path: &Path,
    options: &CompileOptions,
    named: bool,
    clock: &mut Clock,
) -> Result<Graph, Error> {
    if load::is_module(path) {
        if let Some(fixed) = options.shapes.first() {
            return Err(Error::Request(format!(
                "--shape {}: a module has its sizes; --shape is for ONNX models",
                fixed.input
            )));
        }
        let graph = clock.time("import", || load::module_graph(path, named))?;
        let graph = graph.ok_or_else(|| {
            Error::Request(format!(
                "'{}' is past the level of operators, where kernels are chosen",
                path.display()
            ))
        })?;
        return fold(&graph, clock);
    }
    for (place, given) in options.shapes.iter().enumerate() {
        if options.shapes[..place]
            .iter()
            .any(|s| s.input == given.input)
        {
            return Err(Error::Request(format!(
                "--shape {} is given twice: give one shape for each input",
                given.input
            )));
        }
    }
    let shapes = options
        .shapes
        .iter()
        .map(|s| (s.input.clone(), s.shape.clone()))
        .collect();
    let graph = clock.time("import", || {
        Ok(sinter_onnx::import(path, &ImportOptions { shapes })?)
    })?;
    fold(&graph, clock)
}

fn fold(graph: &Graph, clock: &mut Clock) -> Result<Graph, Error> {
    clock.time("fold", || {
        let options = sinter_ops::simplify::Options::default();
        sinter_ops::simplify::simplify(graph, &options).map_err(|e| Error::Request(e.to_string()))
    })
}

pub(crate) fn fuse(
    graph: &Graph,
    device: &Device,
    options: &CompileOptions,
    limits: Limits,
    clock: &mut Clock,
) -> Result<Fused, Error> {
    let mut parsed = options.fusion_options()?;
    parsed.limits = limits;
    clock.time("fusion", || {
        Ok(sinter_fusion::fuse(graph, device, &parsed)?)
    })
}

fn ports(graph: &Graph) -> (Vec<Port>, Vec<Port>) {
    let port = |(name, value): &(String, ValueId)| Port {
        name: name.clone(),
        element: graph.ty(*value).element.mlir().to_owned(),
        shape: graph
            .ty(*value)
            .shape
            .iter()
            .map(|&e| Extent::constant(e))
            .collect(),
    };
    (
        graph.inputs.iter().map(port).collect(),
        graph.outputs.iter().map(port).collect(),
    )
}

fn manifest(
    fused: &Fused,
    device: &Device,
    assembled: &Assembled,
    module: &Module<'_>,
) -> Result<Manifest, Error> {
    let s = &fused.statistics;
    let bound = s.lower_bound.map_or(0.0, |t| t.ns());
    let statistics = Statistics {
        operators: s.operators as u64,
        kernels: s.kernels as u64,
        intermediate_bytes: s.intermediate_bytes,
        unfused_intermediate_bytes: s.unfused_intermediate_bytes,
        peak_bytes: assembled.arena_bytes,
        price_ns: s.price.ns(),
        lower_bound_ns: bound,
        gap: if bound > 0.0 {
            s.price.ns() / bound - 1.0
        } else {
            0.0
        },
        policy: fused.policy.name().to_owned(),
        compile_ms: Vec::new(),
    };
    let decisions = serde_json::to_value(sinter_explain::Report::new(fused))
        .map_err(|e| Error::Request(format!("decisions cannot be written: {e}")))?;
    Ok(describe(
        device,
        assembled,
        module,
        fused.graph.name.clone(),
        decisions,
        statistics,
    ))
}

/// The manifest of an assembled program.
pub(crate) fn describe(
    device: &Device,
    assembled: &Assembled,
    module: &Module<'_>,
    model: String,
    decisions: serde_json::Value,
    statistics: Statistics,
) -> Manifest {
    let used = crate::kernels::scratch(module);
    let spaces = if device.is_scratchpad() {
        sinter_conversion::npu_to_func::SPACES
            .iter()
            .enumerate()
            .map(|(index, name)| Space {
                name: (*name).to_owned(),
                index: index as u32 + 1,
                bytes: match *name {
                    "gm" => used.get("gm").copied().unwrap_or(0).max(64),
                    name => device.space_bytes(name),
                },
            })
            .filter(|space| space.bytes > 0)
            .collect()
    } else {
        Vec::new()
    };
    Manifest {
        format: sinter_model::FORMAT_VERSION,
        model,
        device: device.name.clone(),
        target: sinter_model::Target {
            arch: std::env::consts::ARCH.to_owned(),
            cpu: Target::host().cpu,
            features: sinter_runtime::cpu::host_features()
                .into_iter()
                .map(|f| f.to_string())
                .collect(),
        },
        inputs: assembled.inputs.clone(),
        outputs: assembled.outputs.clone(),
        symbols: Vec::new(),
        arena_bytes: Extent::constant(assembled.arena_bytes as i64),
        scratch_bytes: if device.is_scratchpad() {
            0
        } else {
            used.get("ub").copied().unwrap_or(0)
        },
        spaces,
        kernels: assembled.kernels.clone(),
        program: assembled.program.clone(),
        decisions,
        statistics,
    }
}

/// Measures stages.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    /// Stages in the order of their first time; a stage that is run again adds to its time.
    pub(crate) stages: Vec<StageTime>,
}

impl Clock {
    pub(crate) fn time<T>(
        &mut self,
        stage: &str,
        run: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        let start = Instant::now();
        let result = tracing::info_span!("stage", stage).in_scope(run);
        self.add(stage, start.elapsed().as_secs_f64() * 1e3);
        result
    }

    pub(crate) fn add(&mut self, stage: &str, ms: f64) {
        match self.stages.iter_mut().find(|t| t.stage == stage) {
            Some(known) => known.ms += ms,
            None => self.stages.push(StageTime {
                stage: stage.to_owned(),
                ms,
            }),
        }
    }

    /// Runs the steps of a named pipeline, each a stage.
    pub(crate) fn pipeline(
        &mut self,
        context: &Context,
        module: &mut Module<'_>,
        pipeline: &sinter_pass::Pipeline,
        device: &str,
    ) -> Result<(), Error> {
        self.steps(context, module, &pipeline.expand(&[device]))
    }

    /// Runs passes, each a stage.
    pub(crate) fn steps(
        &mut self,
        context: &Context,
        module: &mut Module<'_>,
        steps: &[String],
    ) -> Result<(), Error> {
        crate::register_passes();
        for (step, time) in sinter_pass::run::run_steps(context, module, steps)? {
            let name = step.split('{').next().unwrap_or(&step);
            self.add(name, time.as_secs_f64() * 1e3);
        }
        Ok(())
    }
}
