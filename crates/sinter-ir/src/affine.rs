//! Affine expressions and maps, plain data to MLIR and back. MLIR simplifies what it is given, so
//! that an expression may come back in another form with the same meaning; coming back once more it
//! stays as it is.

use melior::ir::{AffineExpr, AffineMap, Attribute, AttributeLike};
use sinter_loops::affine::Affine;

use crate::error::IrError;

/// The MLIR expression; iterator `i` is dimension `i`.
pub fn to_expr<'c>(context: &'c melior::Context, affine: &Affine) -> AffineExpr<'c> {
    let constant = |value: i64| AffineExpr::constant(context, value);
    match affine {
        Affine::Const(value) => constant(*value),
        Affine::Iter(i) => AffineExpr::dim(context, *i),
        Affine::Add(a, b) => to_expr(context, a) + to_expr(context, b),
        Affine::Mul(a, factor) => to_expr(context, a) * constant(*factor),
        Affine::FloorDiv(a, by) => AffineExpr::floor_div(to_expr(context, a), constant(*by)),
        Affine::Mod(a, by) => AffineExpr::modulo(to_expr(context, a), constant(*by)),
    }
}

/// The plain expression of an MLIR one.
///
/// # Errors
/// When it has a symbol, a ceiling division, or a product or division by something that is not a
/// constant.
pub fn from_expr(expr: AffineExpr<'_>) -> Result<Affine, IrError> {
    let unsupported = || IrError::Unsupported(format!("affine expression '{expr}'"));
    if expr.is_constant() {
        return Ok(Affine::Const(expr.constant_value()));
    }
    if expr.is_dim() {
        return Ok(Affine::Iter(expr.dim_position()));
    }
    if !expr.is_binary() {
        return Err(unsupported());
    }
    let (left, right) = (expr.lhs(), expr.rhs());
    if expr.is_add() {
        return Ok(Affine::Add(
            Box::new(from_expr(left)?),
            Box::new(from_expr(right)?),
        ));
    }
    let by = right
        .is_constant()
        .then(|| right.constant_value())
        .ok_or_else(unsupported)?;
    let left = Box::new(from_expr(left)?);
    if expr.is_mul() {
        Ok(Affine::Mul(left, by))
    } else if expr.is_floor_div() && by > 0 {
        Ok(Affine::FloorDiv(left, by))
    } else if expr.is_mod() && by > 0 {
        Ok(Affine::Mod(left, by))
    } else {
        Err(unsupported())
    }
}

/// The map attribute from `iters` iterators to an index.
pub fn to_map_attribute<'c>(
    context: &'c melior::Context,
    iters: usize,
    index: &[Affine],
) -> Attribute<'c> {
    let results: Vec<_> = index.iter().map(|e| to_expr(context, e)).collect();
    let map = AffineMap::new(context, iters, 0, &results);
    // SAFETY: the map is alive.
    unsafe { Attribute::from_raw(mlir_sys::mlirAffineMapAttrGet(map.to_raw())) }
}

/// The number of iterators and the index expressions of a map attribute.
///
/// # Errors
/// When the attribute is no affine map, or has what [`from_expr`] refuses.
pub fn from_map_attribute(attribute: Attribute<'_>) -> Result<(usize, Vec<Affine>), IrError> {
    if !attribute.is_affine_map() {
        return Err(IrError::Unsupported(format!(
            "'{attribute}': an affine map is needed"
        )));
    }
    // SAFETY: checked to be an affine map just above.
    let map =
        unsafe { AffineMap::from_raw(mlir_sys::mlirAffineMapAttrGetValue(attribute.to_raw())) };
    if map.symbol_count() != 0 {
        return Err(IrError::Unsupported(format!(
            "'{attribute}': symbols in an access"
        )));
    }
    let index: Result<Vec<_>, _> = (0..map.result_count())
        .map(|i| {
            from_expr(
                map.result(i)
                    .map_err(|e| IrError::Unsupported(e.to_string()))?,
            )
        })
        .collect();
    Ok((map.dim_count(), index?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn iter(i: usize) -> Box<Affine> {
        Box::new(Affine::Iter(i))
    }

    #[test]
    fn maps_come_back() {
        let context = melior::Context::new();
        let index = vec![
            Affine::Const(3),
            Affine::Add(Box::new(Affine::Mul(iter(0), 2)), iter(1)),
            Affine::FloorDiv(iter(2), 16),
            Affine::Mod(iter(2), 16),
            Affine::Add(iter(1), Box::new(Affine::Const(-1))),
        ];
        let map = to_map_attribute(&context, 3, &index);
        assert_eq!(from_map_attribute(map).unwrap(), (3, index));
    }

    #[test]
    fn symbols_are_refused() {
        let context = melior::Context::new();
        let map = Attribute::parse(&context, "affine_map<(d0)[s0] -> (d0 + s0)>").unwrap();
        assert!(from_map_attribute(map).is_err());
    }
}
