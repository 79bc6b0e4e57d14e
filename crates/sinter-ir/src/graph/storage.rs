//! How values are stored, as attributes of the `graph` dialect.

use melior::ir::{Attribute, AttributeLike, Location};
use sinter_sys::attributes::graph;

use crate::attr;
use crate::diagnostic::Capture;
use crate::error::IrError;

/// A value that is a part of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Name of the buffer.
    pub buffer: String,
    /// Where the part starts, per logical dimension.
    pub offset: Vec<i64>,
    /// Logical shape of the buffer.
    pub shape: Vec<i64>,
}

/// `#graph.placement` of a placed value.
///
/// # Errors
/// When the part starts outside the buffer.
pub fn placement_to_attribute<'c>(
    context: &'c melior::Context,
    placed: &Placed,
) -> Result<Attribute<'c>, IrError> {
    let buffer = attr::string(context, &placed.buffer);
    let (offset, shape) = (
        attr::ints(context, &placed.offset),
        attr::ints(context, &placed.shape),
    );
    let capture = Capture::start(context);
    // SAFETY: all arguments are alive and of one context; null is a refusal.
    unsafe {
        Attribute::from_option_raw(graph::sinterGraphPlacementAttrGet(
            Location::unknown(context).to_raw(),
            buffer.to_raw(),
            offset.to_raw(),
            shape.to_raw(),
        ))
    }
    .ok_or_else(|| IrError::Unsupported(format!("placement: {}", capture.finish())))
}

/// The placed value of a `#graph.placement`; `None` for any other attribute.
pub fn placement_from_attribute(attribute: Attribute<'_>) -> Option<Placed> {
    let raw = attribute.to_raw();
    // SAFETY: the getters are called on the kind of attribute that was asked for first.
    unsafe {
        if !graph::sinterAttributeIsAGraphPlacementAttr(raw) {
            return None;
        }
        let ints = |raw| attr::as_ints(Attribute::from_raw(raw)).unwrap_or_default();
        let buffer = Attribute::from_raw(graph::sinterGraphPlacementAttrBuffer(raw));
        Some(Placed {
            buffer: attr::as_str(buffer)?.to_string(),
            offset: ints(graph::sinterGraphPlacementAttrOffsets(raw)),
            shape: ints(graph::sinterGraphPlacementAttrShape(raw)),
        })
    }
}

/// Why operators were grouped, or were not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Stable code.
    pub code: String,
    /// ONNX nodes.
    pub nodes: Vec<String>,
    /// One line.
    pub message: String,
    /// Bytes that it saves.
    pub saved_bytes: i64,
    /// What would make it the other one.
    pub flip: Option<String>,
}

/// `#graph.decision` of a decision.
///
/// # Errors
/// When the code is not one.
pub fn decision_to_attribute<'c>(
    context: &'c melior::Context,
    decision: &Decision,
) -> Result<Attribute<'c>, IrError> {
    let nodes: Vec<_> = decision
        .nodes
        .iter()
        .map(|n| attr::string(context, n))
        .collect();
    let nodes = melior::ir::attribute::ArrayAttribute::new(context, &nodes);
    let text = |text: &str| attr::string(context, text).to_raw();
    let flip = decision.flip.as_deref().map_or(
        mlir_sys::MlirAttribute {
            ptr: std::ptr::null(),
        },
        text,
    );
    let capture = Capture::start(context);
    // SAFETY: all arguments are alive and of one context, `flip` may be null; null is a refusal.
    unsafe {
        Attribute::from_option_raw(graph::sinterGraphDecisionAttrGet(
            Location::unknown(context).to_raw(),
            text(&decision.code),
            nodes.to_raw(),
            text(&decision.message),
            decision.saved_bytes,
            flip,
        ))
    }
    .ok_or_else(|| IrError::Unsupported(format!("decision: {}", capture.finish())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;

    #[test]
    fn placements_come_back() {
        let context = Context::new();
        let placed = Placed {
            buffer: "concat".into(),
            offset: vec![0, 2],
            shape: vec![4, 8],
        };
        let attribute = placement_to_attribute(&context, &placed).unwrap();
        assert_eq!(placement_from_attribute(attribute), Some(placed));
    }

    #[test]
    fn a_part_outside_its_buffer_is_refused() {
        let context = Context::new();
        let placed = Placed {
            buffer: "concat".into(),
            offset: vec![9],
            shape: vec![4],
        };
        let error = placement_to_attribute(&context, &placed).unwrap_err();
        assert!(error.to_string().contains("offset 9 is outside"), "{error}");
    }

    #[test]
    fn decisions_are_printed_by_field() {
        let context = Context::new();
        let decision = Decision {
            code: "fused".into(),
            nodes: vec!["Conv_0".into()],
            message: "one kernel".into(),
            saved_bytes: 64,
            flip: None,
        };
        let text = decision_to_attribute(&context, &decision)
            .unwrap()
            .to_string();
        assert!(text.contains("nodes = [\"Conv_0\"]"), "{text}");
    }
}
