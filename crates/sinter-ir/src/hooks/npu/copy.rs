//! Transfers: routes, counts, and that what is known of their boxes lies inside.

use melior::ir::Type;
use melior::ir::operation::{OperationLike, OperationRef};
use sinter_loops::affine::Affine;
use sinter_sys::attributes::npu;

use super::{space, word};
use crate::affine;
use crate::attr;
use crate::hooks::shape::{each_equal, element, extents, operand_types, rank};
use crate::hooks::{Checked, ensure, same_count};

/// Which space an engine moves from.
const SOURCES: [(&str, &str); 4] = [
    ("mte2", "gm"),
    ("mte1", "l1"),
    ("mte3", "ub"),
    ("fixpipe", "l0c"),
];

pub(super) fn verify(op: OperationRef<'_, '_>) -> Checked {
    let operands = operand_types(op);
    let (source, target) = (operands[0], operands[1]);
    let sizes = ints(op, "static_sizes");
    for (i, size) in sizes.iter().enumerate() {
        ensure(size.is_none_or(|s| s >= 0), || {
            format!("size {i} is negative")
        })?;
    }
    let sides = ["source", "target"].map(|what| Side::of(op, what));
    let [source_side, target_side] = sides;
    let (source_side, target_side) = (source_side?, target_side?);
    each_equal("target element", &[element(target)], &[element(source)])?;
    let engine = word(op, "engine", npu::sinterNpuEngineAttrValue);
    let from = SOURCES
        .iter()
        .find(|(name, _)| *name == engine)
        .map(|(_, from)| *from);
    let from = from.ok_or_else(|| format!("engine '{engine}' moves no data"))?;
    ensure(space(source) == Some(from), || {
        format!("engine '{engine}' moves from '{from}', not from '{source}'")
    })?;
    ensure(space(target) != Some(from), || {
        format!("moves from '{from}' to itself")
    })?;
    ensure(!op.has_attribute("post_op") || engine == "fixpipe", || {
        format!("engine '{engine}' has no function to apply on the way")
    })?;
    source_side.inside(&sizes)?;
    target_side.inside(&sizes)
}

/// A list of numbers; `None` for one that is known when it runs.
fn ints(op: OperationRef<'_, '_>, name: &str) -> Vec<Option<i64>> {
    let all = op.attribute(name).ok().and_then(attr::as_ints);
    let known = |n: i64| (n != i64::MIN).then_some(n);
    all.unwrap_or_default().into_iter().map(known).collect()
}

/// Source or target of a transfer.
struct Side<'c> {
    what: &'static str,
    ty: Type<'c>,
    offsets: Vec<Option<i64>>,
    /// One per dimension, over the dimensions of the box.
    map: Vec<Affine>,
}

impl<'c> Side<'c> {
    fn of(op: OperationRef<'c, '_>, what: &'static str) -> Result<Self, String> {
        let ty = operand_types(op)[usize::from(what == "target")];
        let offsets = ints(op, &format!("static_{what}_offsets"));
        same_count(
            &format!("{what} offsets"),
            offsets.len(),
            &format!("dimensions of the {what}"),
            rank(ty),
        )?;
        let sizes = ints(op, "static_sizes").len();
        let map = match op.attribute(&format!("{what}_map")) {
            Ok(map) => {
                let (dims, index) = affine::from_map_attribute(map).map_err(|e| e.to_string())?;
                same_count(
                    &format!("dimensions of the {what} map"),
                    dims,
                    "sizes",
                    sizes,
                )?;
                same_count(
                    &format!("results of the {what} map"),
                    index.len(),
                    &format!("dimensions of the {what}"),
                    rank(ty),
                )?;
                let linear = index.iter().all(|e| e.linear(dims).is_some());
                ensure(linear, || {
                    format!(
                        "the {what} map has a result that is no sum of multiples of its dimensions"
                    )
                })?;
                index
            }
            Err(_) => {
                ensure(sizes <= rank(ty), || {
                    format!(
                        "has {sizes} sizes for {} dimensions of the {what}",
                        rank(ty)
                    )
                })?;
                let first = rank(ty) - sizes;
                (0..rank(ty))
                    .map(|d| d.checked_sub(first).map_or(Affine::ZERO, Affine::Iter))
                    .collect()
            }
        };
        Ok(Self {
            what,
            ty,
            offsets,
            map,
        })
    }

    /// What is known of the box lies inside the memref.
    fn inside(&self, sizes: &[Option<i64>]) -> Checked {
        if sizes.contains(&Some(0)) {
            return Ok(());
        }
        let dims = self.offsets.iter().zip(&self.map).zip(extents(self.ty));
        for (d, ((offset, index), extent)) in dims.enumerate() {
            let known = index.iters().iter().all(|&i| sizes[i].is_some());
            let (Some(offset), Some(extent), true) = (*offset, extent, known) else {
                continue;
            };
            let ranges: Vec<i64> = sizes.iter().map(|s| s.unwrap_or(1)).collect();
            let reach = index.range(&ranges);
            let (first, last) = (offset + reach.min, offset + reach.max);
            ensure(first >= 0 && last < extent, || {
                format!(
                    "reaches from {first} to {last} along dimension {d} of the {}, which has {extent}",
                    self.what
                )
            })?;
        }
        Ok(())
    }
}
