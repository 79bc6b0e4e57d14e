//! Steps of the matrix unit.

use melior::ir::operation::OperationRef;

use super::space;
use crate::hooks::shape::{each_equal, element, extents, operand_types, rank};
use crate::hooks::{Checked, ensure, same_count};

pub(super) fn verify(op: OperationRef<'_, '_>) -> Checked {
    let operands = operand_types(op);
    let (lhs, rhs, acc) = (operands[0], operands[1], operands[2]);
    let dims = rank(lhs);
    ensure(dims >= 2, || {
        format!("lhs is '{lhs}', but must have at least two dimensions")
    })?;
    same_count("dimensions of rhs", rank(rhs), "of lhs", dims)?;
    same_count("dimensions of acc", rank(acc), "of lhs", dims)?;
    let shapes: Vec<_> = operands.iter().map(|&ty| extents(ty)).collect();
    let (batch, last) = (dims - 2, dims - 1);
    ensure(
        shapes.iter().all(|s| s[..batch] == shapes[0][..batch]),
        || format!("'{lhs}', '{rhs}' and '{acc}' do not share their batch"),
    )?;
    ensure(shapes[0][last] == shapes[1][batch], || {
        format!("'{lhs}' and '{rhs}' do not share K")
    })?;
    let product = (shapes[0][batch], shapes[1][last]);
    ensure(product == (shapes[2][batch], shapes[2][last]), || {
        format!("acc '{acc}' does not have M and N")
    })?;
    each_equal("rhs element", &[element(rhs)], &[element(lhs)])?;
    let float = element(lhs).to_string();
    ensure(["f16", "bf16", "f32"].contains(&float.as_str()), || {
        format!("multiplies '{float}', but must multiply 'f16', 'bf16' or 'f32'")
    })?;
    let sum = element(acc).to_string();
    ensure(sum == "f32", || {
        format!("adds up '{sum}', but must add up 'f32'")
    })?;
    for (ty, want) in operands.iter().zip(["l0a", "l0b", "l0c"]) {
        ensure(space(*ty) == Some(want), || {
            format!("operand '{ty}' must be in '{want}'")
        })?;
    }
    Ok(())
}
