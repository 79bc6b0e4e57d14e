//! `tloop.call`: the stages of another kernel, in the place of the call.

use melior::ir::operation::{OperationLike, OperationRef};
use sinter_loops::kernel::Role;

use super::import::{Reader, read};
use crate::attr;
use crate::error::IrError;
use crate::graph::{missing, op_name};
use crate::walk::symbol;

impl Reader {
    /// Appends what a call runs. `callers` are the kernels that are being read, outermost first.
    ///
    /// # Errors
    /// When the callee is no kernel over logical shapes that makes its results, or calls a caller.
    pub(super) fn call(
        &mut self,
        op: OperationRef<'_, '_>,
        callers: &[&str],
    ) -> Result<(), IrError> {
        let name = op.attribute("callee").ok().and_then(attr::as_symbol);
        let name = name.unwrap_or_default();
        let fault = |what: &str| {
            Err(IrError::Unsupported(format!(
                "a call of '@{name}', {what},"
            )))
        };
        if callers.contains(&name) {
            return fault("which calls itself");
        }
        let callee = match symbol(op, name) {
            Some(found) if op_name(found) == "tloop.kernel" => read(found, callers)?,
            _ => return fault("which is no kernel"),
        };
        let results: Vec<_> = callee.slots_of(Role::Output).collect();
        let arguments: Vec<_> = callee.arguments().collect();
        if callee.slots.iter().any(|s| s.layout.is_some()) {
            return fault("which has layouts");
        }
        if arguments.len() != op.operand_count() || results.len() != op.result_count() {
            return fault("which writes into an argument");
        }
        let mut number = vec![0; callee.slots.len()];
        for (value, slot) in op.operands().zip(arguments) {
            number[slot] = self.slot(value)?;
        }
        for slot in callee.slots_of(Role::Temporary) {
            number[slot] = self.slots.len();
            self.slots.push(callee.slots[slot].clone());
        }
        for (i, slot) in results.into_iter().enumerate() {
            number[slot] = self.fresh(op.result(i).map_err(missing)?.into())?;
        }
        for mut stage in callee.stages {
            for access in stage.accesses_mut() {
                access.operand = number[access.operand];
            }
            self.stages.push(stage);
        }
        Ok(())
    }
}
