//! `tloop.kernel` to plain kernel.

use std::collections::BTreeMap;

use melior::ir::attribute::DenseI32ArrayAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, BlockLike, RegionLike, Value, ValueLike};
use sinter_loops::kernel::{Kernel, Role, Slot};
use sinter_loops::nest::{Access, Combine, CombineFn, Iter, IterKind, Nest};
use sinter_loops::scalar::{BinaryFn, Body, FloatBits, Inst};
use sinter_loops::types::{ElementType, TensorType};

use super::canonical::canonical;
use super::schedule::{layout_from_attribute, schedule_from_attribute};
use super::{CONTRACT, body_import};
use crate::build::value_key;
use crate::error::IrError;
use crate::graph::{missing, op_name};
use crate::{affine, attr, location, types};

/// The kernel that a `tloop.kernel` describes, with its slots in canonical order.
///
/// # Errors
/// When the kernel holds something that the plain data has no form for: unknown extents, tiles,
/// carried reductions, symbols in accesses, kernels that call themselves.
pub fn op_to_kernel(op: OperationRef<'_, '_>) -> Result<Kernel, IrError> {
    read(op, &[])
}

/// A kernel that is read for calls by kernels of these names.
pub(super) fn read(op: OperationRef<'_, '_>, callers: &[&str]) -> Result<Kernel, IrError> {
    let name = op
        .attribute("sym_name")
        .ok()
        .and_then(attr::as_str)
        .unwrap_or_default();
    let block = op
        .region(0)
        .ok()
        .and_then(|region| region.first_block())
        .ok_or_else(|| IrError::Missing(format!("kernel '{name}' has no body")))?;
    let list = |key: &str| {
        op.attribute(key)
            .ok()
            .and_then(attr::as_array)
            .unwrap_or_default()
    };
    let (roles, layouts) = (list("roles"), list("layouts"));
    let layout = |index: usize| layouts.get(index).and_then(|&a| layout_from_attribute(a));

    let mut reader = Reader::default();
    for i in 0..block.argument_count() {
        let argument = block.argument(i).map_err(missing)?;
        let role = match roles.get(i).copied().and_then(attr::as_str) {
            Some("constant") => Role::Constant,
            Some("output") => Role::Output,
            _ => Role::Input,
        };
        let ty = types::from_shaped_type(argument.r#type())?;
        reader
            .values
            .insert(value_key(argument.into()), reader.slots.len());
        reader.slots.push(Slot {
            ty,
            role,
            layout: layout(i),
        });
    }
    let mut outputs = Vec::new();
    let mut next = block.first_operation();
    while let Some(op) = next {
        match op_name(op).as_str() {
            "tloop.nest" | "tloop.contract" => reader.nest(op)?,
            "tensor.empty" => reader.empty(op)?,
            "tloop.call" => reader.call(op, &[callers, &[name]].concat())?,
            "tloop.return" => {
                outputs = op
                    .operands()
                    .map(|v| reader.slot(v))
                    .collect::<Result<_, _>>()?;
            }
            other => {
                return Err(IrError::Unsupported(format!(
                    "'{other}' in kernel '{name}'"
                )));
            }
        }
        next = op.next_in_block();
    }
    for (i, &slot) in outputs.iter().enumerate() {
        if matches!(reader.slots[slot].role, Role::Input | Role::Constant) {
            return Err(IrError::Unsupported(format!(
                "kernel '{name}': result {i} is an argument"
            )));
        }
        reader.slots[slot].role = Role::Output;
        reader.slots[slot].layout = layout(block.argument_count() + i);
    }
    let schedule = op
        .attribute("schedule")
        .ok()
        .map(schedule_from_attribute)
        .transpose()?;
    let kernel = Kernel {
        name: name.to_string(),
        slots: reader.slots,
        stages: reader.stages,
        schedule,
    };
    Ok(canonical(&in_result_order(kernel, &outputs)))
}

/// A nest by itself: slots are its operands, each once, and then its results.
///
/// # Errors
/// As [`op_to_kernel`].
pub(crate) fn op_to_nest(op: OperationRef<'_, '_>) -> Result<(Nest, Vec<TensorType>), IrError> {
    let mut reader = Reader::default();
    for operand in op.operands() {
        if !reader.values.contains_key(&value_key(operand)) {
            reader.fresh(operand)?;
        }
    }
    reader.nest(op)?;
    let nest = reader
        .stages
        .pop()
        .ok_or_else(|| IrError::Missing(format!("'{}' is no nest", op_name(op))))?;
    Ok((nest, reader.slots.into_iter().map(|slot| slot.ty).collect()))
}

/// Moves the outputs to the end, in the order in which they are returned.
fn in_result_order(mut kernel: Kernel, outputs: &[usize]) -> Kernel {
    let mut order: Vec<usize> = (0..kernel.slots.len())
        .filter(|s| !outputs.contains(s))
        .collect();
    order.extend(outputs);
    let mut number = vec![0; kernel.slots.len()];
    for (new, &old) in order.iter().enumerate() {
        number[old] = new;
    }
    kernel.slots = order.iter().map(|&s| kernel.slots[s].clone()).collect();
    for nest in &mut kernel.stages {
        for access in nest.accesses_mut() {
            access.operand = number[access.operand];
        }
    }
    kernel
}

#[derive(Default)]
pub(super) struct Reader {
    pub(super) slots: Vec<Slot>,
    pub(super) stages: Vec<Nest>,
    values: BTreeMap<usize, usize>,
}

impl Reader {
    pub(super) fn slot(&self, value: Value<'_, '_>) -> Result<usize, IrError> {
        self.values.get(&value_key(value)).copied().ok_or_else(|| {
            IrError::Unsupported(format!("'{value}', which no stage of the kernel makes,"))
        })
    }

    pub(super) fn fresh(&mut self, value: Value<'_, '_>) -> Result<usize, IrError> {
        let ty = types::from_shaped_type(value.r#type())?;
        self.slots.push(Slot {
            ty,
            role: Role::Temporary,
            layout: None,
        });
        self.values.insert(value_key(value), self.slots.len() - 1);
        Ok(self.slots.len() - 1)
    }

    fn empty(&mut self, op: OperationRef<'_, '_>) -> Result<(), IrError> {
        self.fresh(op.result(0).map_err(missing)?.into())
            .map(|_| ())
    }

    fn nest(&mut self, op: OperationRef<'_, '_>) -> Result<(), IrError> {
        let implied = op_name(op) == "tloop.contract";
        let contract = implied || op.has_attribute(CONTRACT);
        let list = |key: &str| {
            op.attribute(key)
                .ok()
                .and_then(attr::as_array)
                .unwrap_or_default()
        };
        let operands: Vec<_> = op.operands().collect();
        let [inputs, finish_inputs, _] = segments(op)?;
        let (read, rest) = operands.split_at(inputs.min(operands.len()));
        let (finish_read, outs) = rest.split_at(finish_inputs.min(rest.len()));

        let mut reads = self.accesses(read, &list("maps"))?;
        for (access, pad) in reads.iter_mut().zip(list("pads")) {
            access.pad = attr::as_float(pad).map(FloatBits::new);
        }
        let finish_reads = self.accesses(finish_read, &list("finish_maps"))?;
        let mut results = Vec::new();
        for i in 0..op.result_count() {
            let result: Value<'_, '_> = op.result(i).map_err(missing)?.into();
            results.push(match outs.get(i) {
                Some(&out) => {
                    let slot = self.slot(out)?;
                    self.values.insert(value_key(result), slot);
                    slot
                }
                None => self.fresh(result)?,
            });
        }
        let writes = indices(&list("writes"))?
            .into_iter()
            .zip(results)
            .map(|(index, operand)| Access {
                operand,
                index,
                pad: None,
            })
            .collect();

        let body = if implied {
            multiplication(
                reads
                    .iter()
                    .map(|r| self.slots[r.operand].ty.element)
                    .collect(),
            )
        } else {
            body_import::body(op.region(0).map_err(missing)?)?
        };
        let finish_region = op.region(usize::from(!implied)).map_err(missing)?;
        let finish = match finish_region.first_block() {
            Some(_) => body_import::body(finish_region)?,
            None => Body::identity(body.result_types().map_err(|e| {
                IrError::Unsupported(format!("'{}' with a body of which {e}", op_name(op)))
            })?),
        };
        self.stages.push(Nest {
            iters: iters(op, &list("kinds"))?,
            reads,
            body,
            combines: combines(op, implied)?,
            finish_reads,
            finish,
            writes,
            contract,
            origins: location::origins(op.location()),
        });
        Ok(())
    }

    fn accesses(
        &self,
        operands: &[Value<'_, '_>],
        maps: &[Attribute<'_>],
    ) -> Result<Vec<Access>, IrError> {
        operands
            .iter()
            .zip(indices(maps)?)
            .map(|(&value, index)| {
                Ok(Access {
                    operand: self.slot(value)?,
                    index,
                    pad: None,
                })
            })
            .collect()
    }
}

fn indices(maps: &[Attribute<'_>]) -> Result<Vec<Vec<sinter_loops::affine::Affine>>, IrError> {
    maps.iter()
        .map(|&map| affine::from_map_attribute(map).map(|(_, index)| index))
        .collect()
}

fn segments(op: OperationRef<'_, '_>) -> Result<[usize; 3], IrError> {
    let lacking = || IrError::Missing(format!("'{}' has no operand segments", op_name(op)));
    let sizes = op.attribute("operandSegmentSizes").map_err(|_| lacking())?;
    let sizes = DenseI32ArrayAttribute::try_from(sizes).map_err(|_| lacking())?;
    let at = |i: usize| sizes.element(i).map(|n| n as usize).map_err(|_| lacking());
    Ok([at(0)?, at(1)?, at(2)?])
}

fn iters(op: OperationRef<'_, '_>, kinds: &[Attribute<'_>]) -> Result<Vec<Iter>, IrError> {
    let domain = op
        .attribute("domain")
        .ok()
        .and_then(attr::as_ints)
        .unwrap_or_default();
    if domain.len() != kinds.len() {
        return Err(IrError::Missing(format!(
            "'{}' has {} extents but {} iterator kinds",
            op_name(op),
            domain.len(),
            kinds.len()
        )));
    }
    Ok(domain
        .into_iter()
        .zip(kinds)
        .map(|(extent, &kind)| match attr::as_str(kind) {
            Some("reduction") => Iter {
                extent,
                kind: IterKind::Reduction,
            },
            _ => Iter {
                extent,
                kind: IterKind::Parallel,
            },
        })
        .collect())
}

fn combines(op: OperationRef<'_, '_>, implied: bool) -> Result<Vec<Combine>, IrError> {
    let init = op.attribute("init").ok();
    if implied {
        let init = FloatBits::new(init.and_then(attr::as_float).unwrap_or(0.0));
        return Ok(vec![Combine {
            function: CombineFn::Add,
            init,
        }]);
    }
    let words = op
        .attribute("combine")
        .ok()
        .and_then(attr::as_array)
        .unwrap_or_default();
    let starts = init.and_then(attr::as_array).unwrap_or_default();
    words
        .into_iter()
        .zip(starts)
        .map(|(word, start)| {
            let function = match attr::as_str(word) {
                Some("add") => CombineFn::Add,
                Some("mul") => CombineFn::Mul,
                Some("max") => CombineFn::Max,
                Some("min") => CombineFn::Min,
                _ => return Err(IrError::Unsupported(format!("combiner {word}"))),
            };
            let init = attr::as_float(start)
                .ok_or_else(|| IrError::Unsupported(format!("start value {start}")))?;
            Ok(Combine {
                function,
                init: FloatBits::new(init),
            })
        })
        .collect()
}

fn multiplication(args: Vec<ElementType>) -> Body {
    Body {
        args,
        insts: vec![Inst::Binary(BinaryFn::Mul, 0, 1)],
        results: vec![2],
    }
}
