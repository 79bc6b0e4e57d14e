//! `irdl-cse`: equal operations without effects become one, also those that IRDL defines.
//!
//! Takes any operation. Leaves, in every block, the first of the operations that have the same name,
//! operands, attributes and result types, hold no regions and have no effects. Refuses nothing.
//!
//! Upstream's `cse` does the same for operations that C++ defines, across blocks too. Those of an
//! `--irdl-file` never compare equal there: in LLVM 22.1 `DynamicOpDefinition::compareProperties` is false
//! for all of them.

use std::collections::BTreeMap;

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{AttributeLike, BlockLike, BlockRef, RegionLike, TypeLike, ValueLike};
use sinter_ir::graph::op_name;
use sinter_ir::rewrite::{erase, replace_all_uses};
use sinter_pass::remark::is_memory_effect_free;
use sinter_pass::{Failure, NoOptions, Pass, PassInfo};

/// The pass.
pub struct IrdlCse;

impl Pass for IrdlCse {
    type Options = NoOptions;

    const INFO: PassInfo = PassInfo {
        name: "irdl-cse",
        summary: "Equal operations without effects become one, also those that IRDL defines",
        description: "Within a block. Operations that an `--irdl-file` defines have the effects that their \
                      attribute `sinter.effects` says.",
        anchor: None,
        dialects: &[],
    };

    fn run(&self, op: OperationRef<'_, '_>, _: &NoOptions) -> Result<(), Failure> {
        within(op);
        Ok(())
    }
}

fn within(op: OperationRef<'_, '_>) {
    for region in op.regions() {
        let mut next = region.first_block();
        while let Some(block) = next {
            merge(block);
            next = block.next_in_region();
        }
    }
}

/// What tells operations apart: name, then operands, attributes and result types by identity.
type Key = (String, Vec<usize>);

fn merge(block: BlockRef<'_, '_>) {
    let mut known: BTreeMap<Key, OperationRef<'_, '_>> = BTreeMap::new();
    let mut next = block.first_operation();
    while let Some(op) = next {
        next = op.next_in_block();
        if op.region_count() > 0 {
            within(op);
        } else if op.result_count() > 0 && is_memory_effect_free(op) {
            let key = key(op);
            match known.get(&key) {
                None => {
                    known.insert(key, op);
                }
                Some(first) => {
                    for (old, new) in op.results().zip(first.results()) {
                        replace_all_uses(old.into(), new.into());
                    }
                    erase(op);
                }
            }
        }
    }
}

fn key(op: OperationRef<'_, '_>) -> Key {
    let operands = op.operands().map(|v| v.to_raw().ptr as usize);
    let attributes = op
        .attributes()
        .flat_map(|(name, value)| [name.to_raw().ptr as usize, value.to_raw().ptr as usize]);
    let types = op.results().map(|r| r.r#type().to_raw().ptr as usize);
    let identities = operands
        .chain([0])
        .chain(attributes)
        .chain([0])
        .chain(types);
    (op_name(op), identities.collect())
}
