//! Loop nests and their bodies.

use melior::ir::attribute::DenseI32ArrayAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, Type, TypeLike, Value, ValueLike};
use sinter_loops::affine::Affine;

use super::super::shape::{
    argument_types, block, each_equal, element, extents, int, ints, list, rank, result_types,
    types_of, yielded,
};
use super::super::{Checked, ensure, same_count};
use crate::graph::op_name;
use crate::kernel::op_to_nest;
use crate::types::has_unknown_extent;
use crate::{affine, attr};

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

/// A nest, contraction or carried reduction.
pub(super) fn nest(op: OperationRef<'_, '_>, mnemonic: &str) -> Checked {
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
    finish(op, values, &operands, &targets)?;
    as_data(op, domain.extents)
}

/// What only the plain data can tell: indices with quotients and remainders stay inside, writes are
/// injective, bodies are well typed.
fn as_data(op: OperationRef<'_, '_>, extents: &[i64]) -> Checked {
    let known = op
        .operands()
        .map(|v| v.r#type())
        .chain(result_types(op))
        .all(|ty| ty.is_ranked_tensor() && !has_unknown_extent(ty));
    if !known || extents.contains(&0) || op_name(op) == "tloop.carry" {
        return Ok(());
    }
    let (nest, slots) = op_to_nest(op).map_err(|e| e.to_string())?;
    nest.verify(&slots)
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
    if outs.iter().all(melior::ir::TypeLike::is_mem_ref) {
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

/// An iterator's value is asked for inside a nest that has the iterator.
pub(super) fn index(op: OperationRef<'_, '_>) -> Checked {
    let mut parent = op.parent_operation();
    while let Some(nest) = parent {
        if nest.has_attribute("domain") {
            let (iter, iters) = (
                int(op, "iter").unwrap_or(0),
                ints(nest, "domain").len() as i64,
            );
            return ensure((0..iters).contains(&iter), || {
                format!("iterator {iter} is outside the domain of {iters}")
            });
        }
        parent = nest.parent_operation();
    }
    Err("is not inside a nest".to_string())
}
