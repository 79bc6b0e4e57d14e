//! Each shipped broken model is refused with one line that names the node, its operator and the way out.

mod common;

use sinter_onnx::{ImportError, ImportOptions, import};

fn refusal(name: &str) -> String {
    let path = common::shipped(&format!("broken/{name}"));
    let message = match import(path, &ImportOptions::default()) {
        Ok(_) => panic!("{name} was imported"),
        Err(error) => error.to_string(),
    };
    assert!(!message.contains('\n'), "{message}");
    message
}

#[test]
fn a_cut_off_file() {
    let message = refusal("truncated");
    assert!(
        message.contains("truncated.onnx' is damaged or no ONNX model"),
        "{message}"
    );
    assert!(message.ends_with("fetch or export it again"), "{message}");
}

#[test]
fn a_missing_weight() {
    assert_eq!(
        refusal("missing_weight"),
        "node 'scale' (Mul): 'scale_w' is missing, it is no weight, no input and made by no node: export \
         the model with its weights"
    );
}

#[test]
fn a_missing_file_of_weights() {
    let message = refusal("missing_file");
    assert!(
        message.starts_with("weight 'scale_w': its data is in another file: cannot read"),
        "{message}"
    );
    assert!(message.contains("absent.bin"), "{message}");
}

#[test]
fn an_unsupported_operator() {
    assert_eq!(
        refusal("unsupported_operator"),
        "node 'relu' (Det): the operator is not supported: export the model without it, or add it to \
         crates/sinter-onnx/src/ops"
    );
}

#[test]
fn a_cycle() {
    assert_eq!(
        refusal("cyclic"),
        "node 'scale' (Mul): the graph is cyclic, the node needs its own result through 'shift_out': \
         export the model again"
    );
}

#[test]
fn an_unknown_size() {
    assert_eq!(
        refusal("unknown_size"),
        "input 'x' has unknown size 'rows': give --shape x=?x32"
    );
}

#[test]
fn a_shape_that_depends_on_data() {
    assert_eq!(
        refusal("data_dependent_shape"),
        "node 'reshape' (Reshape): its shape depends on the input's values, not only on sizes: export \
         the model with a constant shape"
    );
}

#[test]
fn an_attribute_of_the_wrong_kind() {
    assert_eq!(
        refusal("bad_attribute"),
        "node 'softmax' (Softmax): attribute 'axis' is not of kind int: export the model again"
    );
}

#[test]
fn shapes_that_do_not_fit() {
    let message = refusal("wrong_shapes");
    assert!(message.starts_with("node 'scale' (Mul): "), "{message}");
    let way = ": export the model again or, where sizes do not fit, give another --shape";
    assert!(message.ends_with(way), "{message}");
}

#[test]
fn no_file() {
    let error = import("models/absent.onnx", &ImportOptions::default()).unwrap_err();
    assert!(matches!(error, ImportError::Io { .. }));
}

#[test]
fn what_is_quantised_otherwise() {
    assert_eq!(
        refusal("quantised_blocks"),
        "node 'quantise' (QuantizeLinear): it is quantised in blocks of 2, which is not supported: quantise per \
         tensor or per axis"
    );
    assert_eq!(
        refusal("zero_point_type"),
        "node 'quantise' (QuantizeLinear): its result is of i32, which is not supported: quantise to int8 or uint8"
    );
}
