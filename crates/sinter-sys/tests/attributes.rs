//! Constructors and getters that are generated from the TableGen records.

use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::attribute::StringAttribute;
use melior::ir::{Attribute, AttributeLike, Location};
use sinter_sys::attributes::{graph, npu, tloop};
use sinter_sys::shim::{sinterInsertAllDialects, string_ref, text};

fn context() -> Context {
    let registry = DialectRegistry::new();
    // SAFETY: the registry is alive.
    unsafe { sinterInsertAllDialects(registry.to_raw()) };
    let context = Context::new_with_registry(&registry, false);
    context.load_all_available_dialects();
    context
}

fn parse<'c>(context: &'c Context, source: &str) -> Attribute<'c> {
    Attribute::parse(context, source).expect("an attribute")
}

#[test]
fn what_is_made_is_what_is_parsed() {
    let context = context();
    let location = Location::unknown(&context).to_raw();
    let name = StringAttribute::new(&context, "batch");
    // SAFETY: all arguments are alive and of the kinds that the attribute has.
    let made = unsafe {
        Attribute::from_raw(graph::sinterGraphDimAttrGet(location, name.to_raw(), 1, 64))
    };
    assert_eq!(made, parse(&context, "#graph.dim<\"batch\", 1, 64>"));
    // SAFETY: `made` is a `#graph.dim`.
    unsafe {
        assert!(graph::sinterAttributeIsAGraphDimAttr(made.to_raw()));
        assert!(!graph::sinterAttributeIsAGraphLayoutAttr(made.to_raw()));
        assert_eq!(graph::sinterGraphDimAttrMin(made.to_raw()), 1);
        assert_eq!(graph::sinterGraphDimAttrMax(made.to_raw()), 64);
    }
}

#[test]
fn optional_integers_may_be_absent() {
    let context = context();
    let stage = parse(
        &context,
        "#tloop.stage<order = [0, 1], vector = 1, lanes = 8, vectors = 2, row_tile = 4, unroll = 2, reduction_tile = []>",
    );
    let mut out = 0;
    // SAFETY: `stage` is a `#tloop.stage`, `out` is writable.
    unsafe {
        assert!(tloop::sinterTloopStageAttrVector(
            stage.to_raw(),
            &raw mut out
        ));
        assert_eq!(out, 1);
        assert!(!tloop::sinterTloopStageAttrRows(
            stage.to_raw(),
            &raw mut out
        ));
    }
}

#[test]
fn enumerations_cross_as_words() {
    let context = context();
    let location = Location::unknown(&context).to_raw();
    // SAFETY: the location is alive; the attribute is of the kind that is asked; the text is static.
    unsafe {
        let made = npu::sinterNpuSpaceAttrGet(location, string_ref("ub"));
        assert_eq!(Attribute::from_raw(made), parse(&context, "#npu.space<ub>"));
        assert_eq!(text(npu::sinterNpuSpaceAttrValue(made)), "ub");
        assert!(
            npu::sinterNpuSpaceAttrGet(location, string_ref("nowhere"))
                .ptr
                .is_null()
        );
    }
}
