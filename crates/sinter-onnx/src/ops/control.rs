//! Operators that vanish: copies, dropout and branches on what is known.

use super::Family;
use crate::call::Call;
use crate::error::Fault;
use crate::importer::{Importer, Value};

type Results = Result<Vec<Value>, Fault>;

pub(super) const OPERATORS: Family =
    &[("Dropout", dropout), ("Identity", identity), ("If", branch)];

fn identity(_: &mut Importer, call: &Call) -> Results {
    Ok(vec![call.input(0)?.clone()])
}

/// `Dropout`: some exporters leave training mode on with a ratio of 0, which drops nothing.
fn dropout(_: &mut Importer, call: &Call) -> Results {
    let number = |place, what, default| {
        let tensor = call
            .constant(place, what)?
            .filter(|t| t.ty().elements() == 1);
        Ok::<_, Fault>(tensor.map_or(default, |t| t.get_f64(0)))
    };
    if number(2, "training mode", 0.0)? != 0.0 && number(1, "ratio", 0.5)? != 0.0 {
        return Err(Fault::unsupported(
            "training mode is not supported: export the model in evaluation mode",
        ));
    }
    Ok(vec![call.input(0)?.clone()])
}

fn branch(import: &mut Importer, call: &Call) -> Results {
    let condition = call
        .constant(0, "condition")?
        .filter(|t| t.ty().elements() == 1);
    let condition = condition.ok_or_else(|| Fault::invalid("its condition is not one value"))?;
    let name = if condition.get_f64(0) != 0.0 {
        "then_branch"
    } else {
        "else_branch"
    };
    import
        .import_branch(call.graph(name)?)
        .map_err(|e| Fault::Inner(Box::new(e)))
}
