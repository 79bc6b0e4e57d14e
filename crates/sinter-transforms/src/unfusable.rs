//! Operations that no kernel can hold, as remarks with the codes of refusals, before fusion stops at
//! the first of them.

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, RegionLike, TypeLike, ValueLike};
use sinter_fusion::LegalityCode;
use sinter_ir::graph::{op_from_operation, op_name};
use sinter_ir::types;
use sinter_pass::Pass;
use sinter_pass::remark::{Remark, emit_remark};
use sinter_sys::remark::is_memory_effect_free;
use sinter_sys::shim::RemarkKind;

use crate::graph_fuse::GraphFuse;
use crate::model::function;

/// Emits a missed remark for every operation of the model function that has unknown extents, effects,
/// or no loop form.
pub(crate) fn remarks(module: OperationRef<'_, '_>) {
    let block = function(module)
        .ok()
        .and_then(|f| f.region(0).ok())
        .and_then(|r| r.first_block());
    let mut next = block.and_then(|b| b.first_operation());
    while let Some(op) = next {
        if let Some((code, message)) = refused(op) {
            let remark = Remark {
                name: code.code(),
                category: GraphFuse::INFO.name,
                message: &message,
                suggestion: code.flip(),
                ..Remark::default()
            };
            emit_remark(RemarkKind::Missed, op.location(), &remark);
        }
        next = op.next_in_block();
    }
}

fn refused(op: OperationRef<'_, '_>) -> Option<(LegalityCode, String)> {
    let name = op_name(op);
    let mnemonic = name.strip_prefix("graph.")?;
    for n in 0..op.result_count() {
        let ty = op.result(n).ok()?.r#type();
        if ty.is_ranked_tensor() && types::from_shaped_type(ty).is_err() {
            let message = format!("an extent of {ty} is unknown");
            return Some((LegalityCode::UnknownSize, message));
        }
    }
    if !is_memory_effect_free(op) {
        let message = format!("{name} has effects, so that no kernel may hold it");
        return Some((LegalityCode::Effects, message));
    }
    let structural = ["constant", "group", "composite", "eclass", "yield"].contains(&mnemonic);
    if structural || op_from_operation(op).is_ok() {
        return None;
    }
    let message = format!("no loops describe {name}");
    Some((LegalityCode::NoLoopForm, message))
}
