//! Going through IR.

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, BlockRef, RegionLike};

use crate::attr;
use crate::graph::op_name;

/// The operations of a block, in order. They may be moved and erased while the list is gone through.
pub fn operations<'c, 'a>(block: impl BlockLike<'c, 'a>) -> Vec<OperationRef<'c, 'a>>
where
    'c: 'a,
{
    // SAFETY: the block's operations live in the block, not in what it is referred to by.
    let first = unsafe {
        OperationRef::from_option_raw(mlir_sys::mlirBlockGetFirstOperation(block.to_raw()))
    };
    std::iter::successors(first, |op| op.next_in_block()).collect()
}

/// The blocks of all regions of an operation, in order.
pub fn blocks<'c, 'a>(op: OperationRef<'c, 'a>) -> Vec<BlockRef<'c, 'a>> {
    let mut out = Vec::new();
    for i in 0..op.region_count() {
        if let Ok(region) = op.region(i) {
            out.extend(std::iter::successors(region.first_block(), |b| {
                b.next_in_region()
            }));
        }
    }
    out
}

/// The operations of a name directly inside an operation, in order.
pub fn inside<'c, 'a>(op: OperationRef<'c, 'a>, name: &str) -> Vec<OperationRef<'c, 'a>> {
    let all = blocks(op).into_iter().flat_map(operations);
    all.filter(|op| op_name(*op) == name).collect()
}

/// Whether an operation of a name lies inside an operation, at any depth.
pub fn contains(op: OperationRef<'_, '_>, wanted: &str) -> bool {
    let mut all = blocks(op).into_iter().flat_map(operations);
    all.any(|op| op_name(op) == wanted || contains(op, wanted))
}

/// The nearest symbol of a name in the operations around an operation.
pub fn symbol<'c, 'a>(op: OperationRef<'c, 'a>, name: &str) -> Option<OperationRef<'c, 'a>> {
    let around = std::iter::successors(op.parent_operation(), |op| op.parent_operation());
    let mut all = around
        .filter_map(|parent| parent.region(0).ok()?.first_block())
        .flat_map(operations);
    all.find(|op| op.attribute("sym_name").ok().and_then(attr::as_str) == Some(name))
}
