//! From a planned `npu` module to what the container holds: program records, kernel table, weights.

use std::collections::BTreeMap;

use sinter_conversion::tloop_to_npu::LAYOUT;
use sinter_ir::build::value_key;
use sinter_ir::error::{IrError, missing};
use sinter_ir::graph::op_name as name;
use sinter_ir::kernel::layout_from_attribute;
use sinter_ir::melior::ir::attribute::TypeAttribute;
use sinter_ir::melior::ir::operation::{OperationLike, OperationRef};
use sinter_ir::melior::ir::r#type::FunctionType;
use sinter_ir::melior::ir::{BlockLike, Module, RegionLike, Type, ValueLike};
use sinter_ir::walk::operations;
use sinter_ir::{attr, constant, location, types};
use sinter_model::{BufferRef, Disjoint, Extent, InPlace, Kernel, Port, Record, Weights};

/// The parts of a container that come from the module.
pub(crate) struct Assembled {
    /// Model inputs.
    pub(crate) inputs: Vec<Port>,
    /// Model outputs.
    pub(crate) outputs: Vec<Port>,
    /// Size of the arena.
    pub(crate) arena_bytes: u64,
    /// Kernels in the order of their first launch.
    pub(crate) kernels: Vec<Kernel>,
    /// Steps of a run.
    pub(crate) program: Vec<Record>,
    /// Packed weights.
    pub(crate) weights: Weights,
}

/// Reads the module's `npu.program` and `npu.kernel`s. `inputs` and `outputs` are the model's ports.
///
/// # Errors
/// When there is no program, or a buffer has no place yet.
pub(crate) fn assemble(
    module: &Module<'_>,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
) -> Result<Assembled, IrError> {
    let mut described = BTreeMap::new();
    let mut program = None;
    for op in operations(module.body()) {
        match name(op).as_str() {
            "npu.kernel" => {
                let kernel = describe(op)?;
                described.insert(kernel.symbol.clone(), kernel);
            }
            "npu.program" => program = Some(op),
            _ => {}
        }
    }
    let program =
        program.ok_or_else(|| IrError::Missing("the module has no npu.program".into()))?;
    let arena = program
        .attribute("arena_bytes")
        .ok()
        .and_then(attr::as_int)
        .unwrap_or(0);
    let mut assembler = Assembler {
        described,
        places: BTreeMap::new(),
        out: Assembled {
            inputs,
            outputs,
            arena_bytes: arena.max(0) as u64,
            kernels: Vec::new(),
            program: Vec::new(),
            weights: Weights::new(),
        },
    };
    assembler.program(program)?;
    Ok(assembler.out)
}

/// The ports of a module's model function or program, as its attributes name them.
///
/// # Errors
/// When there is no such function, or a type has unknown extents.
pub(crate) fn main_ports(module: &Module<'_>) -> Result<(Vec<Port>, Vec<Port>), IrError> {
    let mut found = None;
    for op in operations(module.body()) {
        let has_body = op.region(0).is_ok_and(|r| r.first_block().is_some());
        if has_body && matches!(name(op).as_str(), "func.func" | "npu.program") {
            found = Some(op);
        }
    }
    let op = found.ok_or_else(|| IrError::Missing("the module has no model function".into()))?;
    let ty = op.attribute("function_type").map_err(missing)?;
    let ty = TypeAttribute::try_from(ty).map_err(missing)?.value();
    let ty = FunctionType::try_from(ty).map_err(missing)?;
    let port = |list: &str, prefix: &str, i: usize, ty: Type<'_>| -> Result<Port, IrError> {
        let names = op
            .attribute(list)
            .ok()
            .and_then(attr::as_array)
            .unwrap_or_default();
        let named = names.get(i).and_then(|d| attr::entry(*d, "graph.name"));
        let ty = types::from_shaped_type(ty)?;
        Ok(Port {
            name: named
                .and_then(attr::as_str)
                .map_or_else(|| format!("{prefix}{i}"), str::to_owned),
            element: ty.element.mlir().to_owned(),
            shape: ty.shape.iter().map(|&e| Extent::constant(e)).collect(),
        })
    };
    let inputs: Result<_, IrError> = (0..ty.input_count())
        .map(|i| port("arg_attrs", "arg", i, ty.input(i).map_err(missing)?))
        .collect();
    let outputs: Result<_, IrError> = (0..ty.result_count())
        .map(|i| port("res_attrs", "result", i, ty.result(i).map_err(missing)?))
        .collect();
    Ok((inputs?, outputs?))
}

struct Assembler {
    described: BTreeMap<String, Kernel>,
    places: BTreeMap<usize, BufferRef>,
    out: Assembled,
}

impl Assembler {
    fn program(&mut self, program: OperationRef<'_, '_>) -> Result<(), IrError> {
        let body = program
            .region(0)
            .ok()
            .and_then(|r| r.first_block())
            .ok_or_else(|| IrError::Missing("the program has no body".into()))?;
        for i in 0..body.argument_count() {
            let argument = body.argument(i).map_err(missing)?;
            self.places
                .insert(value_key(argument.into()), BufferRef::Input(i as u32));
        }
        let ops = operations(body);
        let returned = ops.last().filter(|op| name(**op) == "npu.return");
        for op in &ops {
            if name(*op) == "npu.buffer" {
                // A buffer outside the arena is a result: the caller's memory.
                let key = value_key(op.result(0).map_err(missing)?.into());
                let port = returned.and_then(|r| r.operands().position(|v| value_key(v) == key));
                let port = port.ok_or_else(|| {
                    IrError::Missing(format!("'{op}' has no place: run npu-plan-memory"))
                })?;
                self.places.insert(key, BufferRef::Output(port as u32));
            }
        }
        for op in ops {
            match name(op).as_str() {
                "npu.view" => self.view(op)?,
                "npu.constant" => self.constant(op)?,
                "npu.launch" => self.launch(op)?,
                "npu.barrier" => self.out.program.push(Record::Barrier),
                "npu.return" => self.results(op)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn view(&mut self, op: OperationRef<'_, '_>) -> Result<(), IrError> {
        let result = op.result(0).map_err(missing)?;
        let bytes = types::from_shaped_type(result.r#type())?.bytes();
        let offset = op
            .attribute("offset")
            .ok()
            .and_then(attr::as_int)
            .unwrap_or(0);
        let place = BufferRef::arena(offset.max(0) as u64, bytes.max(0) as u64);
        self.places.insert(value_key(result.into()), place);
        Ok(())
    }

    fn constant(&mut self, op: OperationRef<'_, '_>) -> Result<(), IrError> {
        let value = op.attribute("value").map_err(missing)?;
        let tensor = constant::from_attribute(value)?;
        let layout = op.attribute(LAYOUT).ok().and_then(layout_from_attribute);
        let place = match layout {
            Some(layout) => self.out.weights.push(layout.pack(&tensor).bytes()),
            None => self.out.weights.push(tensor.bytes()),
        };
        let key = value_key(op.result(0).map_err(missing)?.into());
        self.places.insert(key, place);
        Ok(())
    }

    fn launch(&mut self, op: OperationRef<'_, '_>) -> Result<(), IrError> {
        let symbol = op.attribute("kernel").map_err(missing)?.to_string();
        let symbol = symbol.trim_start_matches('@').trim_matches('"').to_owned();
        let known = self.out.kernels.iter().position(|k| k.symbol == symbol);
        let kernel = match known {
            Some(k) => k,
            None => {
                let kernel = self.described.remove(&symbol).ok_or_else(|| {
                    IrError::Missing(format!("kernel '@{symbol}' is not in the module"))
                })?;
                self.out.kernels.push(kernel);
                self.out.kernels.len() - 1
            }
        };
        let args: Result<Vec<_>, _> = op.operands().map(|v| self.place(value_key(v))).collect();
        let blocks = op
            .attribute("blocks")
            .ok()
            .and_then(attr::as_int)
            .unwrap_or(1);
        self.out.program.push(Record::Launch {
            kernel: kernel as u32,
            args: args?,
            dims: Vec::new(),
            blocks: Extent::constant(blocks),
        });
        Ok(())
    }

    /// Results that are not their output's own buffer are copied there at the end.
    fn results(&mut self, op: OperationRef<'_, '_>) -> Result<(), IrError> {
        let mut copies = Vec::new();
        for (k, value) in op.operands().enumerate() {
            let source = self.place(value_key(value))?;
            let destination = BufferRef::Output(k as u32);
            if source != destination {
                copies.push(Record::Copy {
                    source,
                    destination,
                });
            }
        }
        if !copies.is_empty() {
            self.out.program.push(Record::Barrier);
            self.out.program.extend(copies);
        }
        Ok(())
    }

    fn place(&self, key: usize) -> Result<BufferRef, IrError> {
        let place = self.places.get(&key).cloned();
        place.ok_or_else(|| IrError::Missing("an operand of a launch has no buffer".into()))
    }
}

/// What the program must know of a kernel, from its attributes.
fn describe(op: OperationRef<'_, '_>) -> Result<Kernel, IrError> {
    let int = |key: &str| {
        op.attribute(key)
            .ok()
            .and_then(attr::as_int)
            .unwrap_or(0)
            .max(0) as u64
    };
    let symbol = op
        .attribute("sym_name")
        .ok()
        .and_then(attr::as_str)
        .unwrap_or_default()
        .to_owned();
    let core = op.attribute("core").map_err(missing)?.to_string();
    let core = ["mix", "cube"]
        .into_iter()
        .find(|c| core.contains(c))
        .unwrap_or("vector")
        .to_owned();
    let pairs = |key: &str| {
        let pairs = attr::pairs(op, key).into_iter();
        pairs.map(|(a, b)| (a as u32, b as u32))
    };
    let in_place = pairs("in_place")
        .map(|(input, output)| InPlace { input, output })
        .collect();
    let disjoint = pairs("disjoint")
        .map(|(other, output)| Disjoint { other, output })
        .collect();
    Ok(Kernel {
        symbol,
        origins: location::origins(op.location()),
        core,
        inputs: int("inputs") as u32,
        outputs: int("outputs") as u32,
        in_place,
        disjoint,
        read_bytes: int("read_bytes"),
        written_bytes: int("written_bytes"),
        flops: int("flops"),
        price_ns: op
            .attribute("price_ns")
            .ok()
            .and_then(attr::as_float)
            .unwrap_or(0.0),
        parallel: op.has_attribute("parallel"),
    })
}
