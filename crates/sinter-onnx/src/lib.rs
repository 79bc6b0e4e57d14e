//! ONNX to the operator graph.
