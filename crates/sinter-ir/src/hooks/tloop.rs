//! Kernels, nests, tiles and layout changes.

use melior::ir::attribute::DenseI32ArrayAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, BlockLike, Type, Value};
use sinter_loops::affine::Affine;

use super::shape::{
    argument_types, block, each_equal, element, extents, operand_types, rank, result_types,
    types_of, yielded,
};
use super::{Checked, FoldTo, ensure, same_count};
use crate::graph::op_name;
use crate::kernel::{layout_from_attribute, schedule_from_attribute};
use crate::rewrite::context_of;
use crate::{affine, attr, constant, types};

pub(super) fn verify(op: OperationRef<'_, '_>, mnemonic: &str) -> Checked {
    match mnemonic {
        "kernel" => kernel(op),
        "return" => returned(op),
        "nest" | "contract" | "carry" => nest(op, mnemonic),
        "index" => index(op),
        "read" => read(op),
        "tile" => tile(op),
        "extract" => extract(op),
        "insert" => insert(op),
        "pack" => packed(op, operand_types(op)[0], result_types(op)[0]),
        "unpack" => packed(op, result_types(op)[0], operand_types(op)[0]),
        "partial" => partial(op),
        "combine" => combine(op),
        _ => Ok(()),
    }
}

fn list<'c>(op: OperationRef<'c, '_>, name: &str) -> Vec<Attribute<'c>> {
    op.attribute(name)
        .ok()
        .and_then(attr::as_array)
        .unwrap_or_default()
}

fn ints(op: OperationRef<'_, '_>, name: &str) -> Vec<i64> {
    op.attribute(name)
        .ok()
        .and_then(attr::as_ints)
        .unwrap_or_default()
}

fn kernel(op: OperationRef<'_, '_>) -> Checked {
    let Some(body) = block(op, 0) else {
        return Err("has no body".to_string());
    };
    let arguments = body.argument_count();
    if op.has_attribute("roles") {
        same_count("roles", list(op, "roles").len(), "arguments", arguments)?;
    }
    let results = body.terminator().map_or(0, |end| end.operand_count());
    if op.has_attribute("layouts") {
        let count = list(op, "layouts").len();
        same_count(
            "layouts",
            count,
            "arguments and results",
            arguments + results,
        )?;
    }
    match op.attribute("schedule").ok().map(schedule_from_attribute) {
        Some(Ok(schedule)) => same_count(
            "stage schedules",
            schedule.stages.len(),
            "stages",
            stages(body),
        ),
        _ => Ok(()),
    }
}

fn stages(body: melior::ir::BlockRef<'_, '_>) -> usize {
    let (mut count, mut next) = (0, body.first_operation());
    while let Some(op) = next {
        let is_stage = ["tloop.nest", "tloop.contract", "tloop.carry"].contains(&&*op_name(op));
        count += usize::from(is_stage);
        next = op.next_in_block();
    }
    count
}

fn returned(op: OperationRef<'_, '_>) -> Checked {
    let results = op
        .parent_operation()
        .and_then(function_results)
        .unwrap_or_default();
    let values = operand_types(op);
    same_count(
        "values",
        values.len(),
        "results of the kernel",
        results.len(),
    )?;
    each_equal("value", &values, &results)
}

/// Result types of an operation with a `function_type`.
pub(super) fn function_results<'c>(op: OperationRef<'c, '_>) -> Option<Vec<Type<'c>>> {
    let function = function_type(op)?;
    (0..function.result_count())
        .map(|i| function.result(i).ok())
        .collect()
}

/// Argument types of an operation with a `function_type`.
pub(super) fn function_inputs<'c>(op: OperationRef<'c, '_>) -> Option<Vec<Type<'c>>> {
    let function = function_type(op)?;
    (0..function.input_count())
        .map(|i| function.input(i).ok())
        .collect()
}

fn function_type<'c>(op: OperationRef<'c, '_>) -> Option<melior::ir::r#type::FunctionType<'c>> {
    let attribute = op.attribute("function_type").ok()?;
    let ty = melior::ir::attribute::TypeAttribute::try_from(attribute)
        .ok()?
        .value();
    melior::ir::r#type::FunctionType::try_from(ty).ok()
}

/// A launch takes and gives what its kernel does. Between launches a tensor stands for its bytes in
/// memory: the kernel may know them under another shape, and in a layout with padding.
pub(super) fn launched(op: OperationRef<'_, '_>, symbol: OperationRef<'_, '_>) -> Checked {
    ensure(op_name(symbol) == "tloop.kernel", || {
        format!(
            "launches a '{}', but must launch a 'tloop.kernel'",
            op_name(symbol)
        )
    })?;
    let inputs = function_inputs(symbol).unwrap_or_default();
    let results = function_results(symbol).unwrap_or_default();
    same_count("operands", op.operand_count(), "arguments", inputs.len())?;
    same_count(
        "results",
        op.result_count(),
        "results of the kernel",
        results.len(),
    )?;
    let layouts = list(symbol, "layouts");
    let given = operand_types(op).into_iter().chain(result_types(op));
    for (i, (given, taken)) in given.zip(inputs.iter().chain(&results)).enumerate() {
        let layout = layouts.get(i).and_then(|&a| layout_from_attribute(a));
        ensure(same_bytes(given, *taken, layout.as_ref()), || {
            let what = if i < inputs.len() {
                "operand"
            } else {
                "result"
            };
            let number = if i < inputs.len() {
                i
            } else {
                i - inputs.len()
            };
            format!("{what} {number} is '{given}', which does not lie in memory as '{taken}'")
        })?;
    }
    Ok(())
}

fn same_bytes(
    given: Type<'_>,
    taken: Type<'_>,
    layout: Option<&sinter_loops::kernel::Layout>,
) -> bool {
    if given == taken {
        return true;
    }
    let (Ok(given), Ok(taken)) = (
        types::from_shaped_type(given),
        types::from_shaped_type(taken),
    ) else {
        return false;
    };
    let stored = match layout {
        Some(layout) if layout.fits(given.rank()) => layout.physical_type(&given).elements(),
        _ => given.elements(),
    };
    given.element == taken.element && stored == taken.elements()
}

/// Operands and results are those of the function.
pub(super) fn called(op: OperationRef<'_, '_>, symbol: OperationRef<'_, '_>) -> Checked {
    let inputs = function_inputs(symbol).unwrap_or_default();
    let results = function_results(symbol).unwrap_or_default();
    same_count("operands", op.operand_count(), "arguments", inputs.len())?;
    each_equal("operand", &operand_types(op), &inputs)?;
    same_count(
        "results",
        op.result_count(),
        "results of the callee",
        results.len(),
    )?;
    each_equal("result", &result_types(op), &results)
}

/// The operands of a nest by segment.
struct Operands<'c, 'a> {
    inputs: Vec<Value<'c, 'a>>,
    finish_inputs: Vec<Value<'c, 'a>>,
    outs: Vec<Value<'c, 'a>>,
}

fn operands<'c, 'a>(op: OperationRef<'c, 'a>) -> Operands<'c, 'a> {
    let sizes = op.attribute("operandSegmentSizes").ok();
    let sizes = sizes.and_then(|a| DenseI32ArrayAttribute::try_from(a).ok());
    let size = |i| sizes.and_then(|s| s.element(i).ok()).unwrap_or(0) as usize;
    let all: Vec<_> = op.operands().collect();
    let (inputs, rest) = all.split_at(size(0).min(all.len()));
    let (finish_inputs, outs) = rest.split_at(size(1).min(rest.len()));
    Operands {
        inputs: inputs.to_vec(),
        finish_inputs: finish_inputs.to_vec(),
        outs: outs.to_vec(),
    }
}

fn nest(op: OperationRef<'_, '_>, mnemonic: &str) -> Checked {
    let (domain, kinds) = (ints(op, "domain"), list(op, "kinds"));
    same_count("iterator kinds", kinds.len(), "extents", domain.len())?;
    for (i, extent) in domain.iter().enumerate() {
        ensure(*extent >= 0, || format!("extent {i} is negative"))?;
    }
    let reductions: Vec<usize> = (0..kinds.len())
        .filter(|&i| attr::as_str(kinds[i]) == Some("reduction"))
        .collect();
    let operands = operands(op);
    let domain = Domain {
        extents: &domain,
        reductions: &reductions,
    };

    let pads = list(op, "pads");
    if !pads.is_empty() {
        same_count("pads", pads.len(), "inputs", operands.inputs.len())?;
    }
    let padded = |i: usize| pads.get(i).copied().and_then(attr::as_float).is_some();
    domain.accesses(
        "map",
        &list(op, "maps"),
        &types_of(&operands.inputs),
        true,
        &padded,
    )?;
    let finish_types = types_of(&operands.finish_inputs);
    domain.accesses(
        "finish map",
        &list(op, "finish_maps"),
        &finish_types,
        false,
        &|_| false,
    )?;
    let writes = list(op, "writes");
    let targets = targets(op, &operands.outs, writes.len())?;
    domain.accesses("write map", &writes, &targets, false, &|_| false)?;

    let values = match mnemonic {
        "nest" => nest_values(op, &operands, !reductions.is_empty())?,
        "contract" => contract_values(&operands)?,
        _ => carry_values(op, &operands)?,
    };
    finish(op, values, &operands, &targets)
}

/// What is written to: the destinations on memrefs and where there are any, else the results.
fn targets<'c>(
    op: OperationRef<'c, '_>,
    outs: &[Value<'c, '_>],
    writes: usize,
) -> Result<Vec<Type<'c>>, String> {
    let (outs, results) = (types_of(outs), result_types(op));
    if outs.is_empty() {
        same_count("write maps", writes, "results", results.len())?;
        return Ok(results);
    }
    same_count("write maps", writes, "destinations", outs.len())?;
    if outs.iter().all(|ty| melior::ir::TypeLike::is_mem_ref(ty)) {
        same_count("results", results.len(), "destinations that are tensors", 0)?;
    } else {
        same_count("results", results.len(), "destinations", outs.len())?;
        each_equal("result", &results, &outs)?;
    }
    Ok(outs)
}

struct Domain<'d> {
    extents: &'d [i64],
    reductions: &'d [usize],
}

impl Domain<'_> {
    /// One map per operand, over the iterators, with an index per dimension that is inside unless it
    /// is padded.
    fn accesses(
        &self,
        what: &str,
        maps: &[Attribute<'_>],
        operands: &[Type<'_>],
        reductions: bool,
        padded: &dyn Fn(usize) -> bool,
    ) -> Checked {
        same_count(&format!("{what}s"), maps.len(), "operands", operands.len())?;
        for (i, (&map, &operand)) in maps.iter().zip(operands).enumerate() {
            let (iters, index) = affine::from_map_attribute(map).map_err(|e| e.to_string())?;
            ensure(iters == self.extents.len(), || {
                format!(
                    "{what} {i} has {iters} dimensions for {} iterators",
                    self.extents.len()
                )
            })?;
            ensure(index.len() == rank(operand), || {
                format!(
                    "{what} {i} gives {} indices for rank {}",
                    index.len(),
                    rank(operand)
                )
            })?;
            let reduced = self
                .reductions
                .iter()
                .find(|&&r| index.iter().any(|e| e.uses(r)));
            ensure(reductions || reduced.is_none(), || {
                format!(
                    "{what} {i} uses the reduction iterator {}",
                    reduced.unwrap_or(&0)
                )
            })?;
            if !padded(i) {
                self.inside(what, i, &index, &extents(operand))?;
            }
        }
        Ok(())
    }

    /// Linear indices are inside; others are left to whoever made them.
    fn inside(
        &self,
        what: &str,
        number: usize,
        index: &[Affine],
        extents: &[Option<i64>],
    ) -> Checked {
        if self.extents.contains(&0) {
            return Ok(());
        }
        for (d, (index, extent)) in index.iter().zip(extents).enumerate() {
            let (Some(extent), Some(_)) = (extent, index.linear(self.extents.len())) else {
                continue;
            };
            let range = index.range(self.extents);
            ensure(range.is_inside(*extent), || {
                format!(
                    "{what} {number} reaches {}..={} of dimension {d}, which has {extent}",
                    range.min, range.max
                )
            })?;
        }
        Ok(())
    }
}

fn body_yields<'c>(
    op: OperationRef<'c, '_>,
    region: usize,
    what: &str,
    want: &[Type<'c>],
) -> Result<Vec<Type<'c>>, String> {
    let body = block(op, region).ok_or_else(|| format!("has an empty {what}"))?;
    let arguments = argument_types(body);
    same_count(
        &format!("{what} arguments"),
        arguments.len(),
        "values given to it",
        want.len(),
    )?;
    each_equal(&format!("{what} argument"), &arguments, want)?;
    yielded(body)
}

fn elements<'c>(values: &[Value<'c, '_>]) -> Vec<Type<'c>> {
    types_of(values).into_iter().map(element).collect()
}

fn nest_values<'c>(
    op: OperationRef<'c, '_>,
    operands: &Operands<'c, '_>,
    reduces: bool,
) -> Result<Vec<Type<'c>>, String> {
    let values = body_yields(op, 0, "body", &elements(&operands.inputs))?;
    let (combine, init) = (list(op, "combine"), list(op, "init"));
    same_count("start values", init.len(), "combiners", combine.len())?;
    ensure(reduces || combine.is_empty(), || {
        "has combiners, but no reduction iterator".to_string()
    })?;
    if reduces {
        same_count("combiners", combine.len(), "yielded values", values.len())?;
    }
    Ok(values)
}

fn contract_values<'c>(operands: &Operands<'c, '_>) -> Result<Vec<Type<'c>>, String> {
    let elements = elements(&operands.inputs);
    same_count("inputs", elements.len(), "factors", 2)?;
    ensure(elements[0] == elements[1], || {
        format!("multiplies '{}' by '{}'", elements[0], elements[1])
    })?;
    Ok(vec![elements[0]])
}

fn carry_values<'c>(
    op: OperationRef<'c, '_>,
    operands: &Operands<'c, '_>,
) -> Result<Vec<Type<'c>>, String> {
    let update = block(op, 0).ok_or("has an empty update region")?;
    let carried = yielded(update)?;
    same_count(
        "start values",
        list(op, "init").len(),
        "carried values",
        carried.len(),
    )?;
    let given: Vec<_> = elements(&operands.inputs)
        .into_iter()
        .chain(carried.clone())
        .collect();
    body_yields(op, 0, "update", &given)?;
    let both: Vec<_> = carried.iter().chain(&carried).copied().collect();
    let merged = body_yields(op, 1, "merge", &both)?;
    same_count(
        "merged values",
        merged.len(),
        "carried values",
        carried.len(),
    )?;
    each_equal("merged value", &merged, &carried)?;
    Ok(carried)
}

fn finish<'c>(
    op: OperationRef<'c, '_>,
    values: Vec<Type<'c>>,
    operands: &Operands<'c, '_>,
    targets: &[Type<'c>],
) -> Checked {
    let region = op.region_count() - 1;
    let written = match block(op, region) {
        Some(_) => {
            let given: Vec<_> = values
                .into_iter()
                .chain(elements(&operands.finish_inputs))
                .collect();
            body_yields(op, region, "finish", &given)?
        }
        None => values,
    };
    same_count("values", written.len(), "write maps", targets.len())?;
    let targets: Vec<_> = targets.iter().map(|&ty| element(ty)).collect();
    each_equal("written value", &written, &targets)
}

fn index(op: OperationRef<'_, '_>) -> Checked {
    let mut parent = op.parent_operation();
    while let Some(nest) = parent {
        if nest.has_attribute("domain") {
            let (iter, iters) = (int(op, "iter"), ints(nest, "domain").len() as i64);
            return ensure((0..iters).contains(&iter), || {
                format!("iterator {iter} is outside the domain of {iters}")
            });
        }
        parent = nest.parent_operation();
    }
    Err("is not inside a nest".to_string())
}

fn int(op: OperationRef<'_, '_>, name: &str) -> i64 {
    op.attribute(name).ok().and_then(attr::as_int).unwrap_or(0)
}

fn read(op: OperationRef<'_, '_>) -> Checked {
    let source = operand_types(op)[0];
    same_count(
        "indices",
        op.operand_count() - 1,
        "dimensions",
        rank(source),
    )?;
    each_equal("result", &result_types(op), &[element(source)])
}

fn tile(op: OperationRef<'_, '_>) -> Checked {
    let (extents, tiles) = (ints(op, "extents"), ints(op, "tiles"));
    same_count("tiles", tiles.len(), "extents", extents.len())?;
    for (i, tile) in tiles.iter().enumerate() {
        ensure(*tile > 0, || format!("tile {i} is not positive"))?;
    }
    let body = block(op, 0).ok_or("has no body")?;
    let (arguments, initial) = (argument_types(body), operand_types(op));
    same_count(
        "region arguments",
        arguments.len(),
        "axes and carried values",
        extents.len() + initial.len(),
    )?;
    each_equal("carried argument", &arguments[extents.len()..], &initial)?;
    let yielded = yielded(body)?;
    same_count(
        "yielded values",
        yielded.len(),
        "results",
        op.result_count(),
    )?;
    each_equal("yielded value", &yielded, &result_types(op))
}

fn extract(op: OperationRef<'_, '_>) -> Checked {
    let (source, result) = (operand_types(op)[0], result_types(op)[0]);
    same_count(
        "offsets",
        ints(op, "static_offsets").len(),
        "dimensions",
        rank(source),
    )?;
    let sizes = ints(op, "static_sizes");
    same_count("sizes", sizes.len(), "dimensions", rank(source))?;
    let sizes: Vec<_> = sizes
        .into_iter()
        .map(|s| (s != i64::MIN).then_some(s))
        .collect();
    ensure(extents(result) == sizes, || {
        format!("result is '{result}', which is not of the sizes")
    })?;
    each_equal("element", &[element(result)], &[element(source)])
}

fn insert(op: OperationRef<'_, '_>) -> Checked {
    let operands = operand_types(op);
    same_count(
        "offsets",
        ints(op, "static_offsets").len(),
        "dimensions",
        rank(operands[1]),
    )?;
    same_count(
        "dimensions",
        rank(operands[0]),
        "dimensions of the target",
        rank(operands[1]),
    )?;
    each_equal("element", &[element(operands[0])], &[element(operands[1])])
}

/// `stored` has the physical shape of `logical` in the layout.
fn packed(op: OperationRef<'_, '_>, logical: Type<'_>, stored: Type<'_>) -> Checked {
    each_equal("element", &[element(stored)], &[element(logical)])?;
    let layout = op.attribute("layout").ok().and_then(layout_from_attribute);
    let (Some(layout), Ok(logical)) = (layout, types::from_shaped_type(logical)) else {
        return Ok(());
    };
    ensure(layout.fits(logical.rank()), || {
        format!("layout does not fit a tensor of rank {}", logical.rank())
    })?;
    let want = layout.physical_shape(&logical.shape);
    let got = extents(stored);
    ensure(want.iter().map(|&e| Some(e)).eq(got), || {
        format!("the stored shape of {logical} is {want:?}, not that of '{stored}'")
    })
}

fn partial(op: OperationRef<'_, '_>) -> Checked {
    let (parts, source) = (int(op, "parts"), operand_types(op)[0]);
    ensure(
        extents(source)
            .first()
            .is_some_and(|e| e.is_none_or(|e| e == parts)),
        || format!("dimension 0 of '{source}' does not number {parts} parts"),
    )
}

fn combine(op: OperationRef<'_, '_>) -> Checked {
    let (source, result) = (operand_types(op)[0], result_types(op)[0]);
    ensure(
        rank(source) > 0 && extents(source)[1..] == extents(result)[..],
        || format!("result is '{result}', but must be '{source}' without dimension 0"),
    )?;
    each_equal("element", &[element(result)], &[element(source)])
}

/// Packing or unpacking a constant gives a constant.
pub(super) fn fold_pack<'c, 'a>(
    op: OperationRef<'c, 'a>,
    constants: &[Option<Attribute<'c>>],
) -> Option<Vec<FoldTo<'c, 'a>>> {
    let source = constant::from_attribute((*constants.first()?)?).ok()?;
    let layout = layout_from_attribute(op.attribute("layout").ok()?)?;
    let result = types::from_shaped_type(result_types(op)[0]).ok()?;
    let tensor = if op_name(op) == "tloop.pack" {
        layout.pack(&source)
    } else {
        layout.unpack(&source, &result.shape)
    };
    let context = context_of(op);
    Some(vec![FoldTo::Constant(constant::to_attribute(
        context, &tensor, "packed",
    ))])
}
