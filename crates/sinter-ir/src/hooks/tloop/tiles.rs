//! Tiles, computed reads, layout changes, split reductions.

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, Type, TypeLike};

use super::super::shape::{
    argument_types, block, each_equal, element, extents, int, ints, operand_types, rank,
    result_types, yielded,
};
use super::super::{Checked, FoldTo, ensure, same_count};
use crate::graph::op_name;
use crate::kernel::layout_from_attribute;
use crate::rewrite::context_of;
use crate::{constant, types};

pub(super) fn read(op: OperationRef<'_, '_>) -> Checked {
    let source = operand_types(op)[0];
    same_count(
        "indices",
        op.operand_count() - 1,
        "dimensions",
        rank(source),
    )?;
    each_equal("result", &result_types(op), &[element(source)])
}

pub(super) fn tile(op: OperationRef<'_, '_>) -> Checked {
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
    for (i, ty) in arguments[..extents.len()].iter().enumerate() {
        // SAFETY: asked of a type that is alive.
        let index = unsafe { mlir_sys::mlirTypeIsAIndex(ty.to_raw()) };
        ensure(index, || {
            format!("argument {i} of the region is '{ty}', but must be 'index'")
        })?;
    }
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

pub(super) fn extract(op: OperationRef<'_, '_>) -> Checked {
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
    each_equal("element", &[element(result)], &[element(source)])?;
    tile_inside(op, "static_offsets", &sizes, source)
}

/// What is known of a tile lies inside the tensor.
fn tile_inside(
    op: OperationRef<'_, '_>,
    offsets: &str,
    sizes: &[Option<i64>],
    whole: Type<'_>,
) -> Checked {
    let offsets = ints(op, offsets);
    for (d, extent) in extents(whole).into_iter().enumerate() {
        let known = offsets.get(d).filter(|&&offset| offset != i64::MIN);
        let (Some(&first), Some(size), Some(extent)) = (known, sizes[d], extent) else {
            continue;
        };
        let end = first + size;
        ensure(first >= 0 && end <= extent, || {
            format!("reaches from {first} to {end} along dimension {d}, which has {extent}")
        })?;
    }
    Ok(())
}

pub(super) fn insert(op: OperationRef<'_, '_>) -> Checked {
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
    each_equal("element", &[element(operands[0])], &[element(operands[1])])?;
    let sizes = extents(operands[0]);
    tile_inside(op, "static_offsets", &sizes, operands[1])
}

/// `stored` has the physical shape of `logical` in the layout.
pub(super) fn packed(op: OperationRef<'_, '_>, logical: Type<'_>, stored: Type<'_>) -> Checked {
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

pub(super) fn partial(op: OperationRef<'_, '_>) -> Checked {
    let (parts, source) = (int(op, "parts").unwrap_or(0), operand_types(op)[0]);
    ensure(
        extents(source)
            .first()
            .is_some_and(|e| e.is_none_or(|e| e == parts)),
        || format!("dimension 0 of '{source}' does not number {parts} parts"),
    )
}

pub(super) fn combine(op: OperationRef<'_, '_>) -> Checked {
    let (source, result) = (operand_types(op)[0], result_types(op)[0]);
    ensure(
        rank(source) > 0 && extents(source)[1..] == extents(result)[..],
        || format!("result is '{result}', but must be '{source}' without dimension 0"),
    )?;
    each_equal("element", &[element(result)], &[element(source)])
}

/// Packing or unpacking a constant gives a constant.
pub(in super::super) fn fold_pack<'c, 'a>(
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
