// RUN: sinter-opt %s --transform-interpreter --verify-diagnostics

// A transform script drives passes written in Rust, options included.

// expected-remark @below {{Pear 3 0 false 'none'}}
// expected-note @below {{a note}}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    %g = transform.apply_registered_pass "test-options" with options = {"fruit" = "pear"} to %f : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
