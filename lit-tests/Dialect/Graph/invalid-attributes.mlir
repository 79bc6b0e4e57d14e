// RUN: sinter-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics

// Attributes.

// expected-error @below {{result 0 is not a dimension, its quotient or its remainder}}
func.func private @f() attributes {test.a = #graph.layout<(d0, d1) -> (d0 + d1)>}

// -----

// expected-error @below {{every dimension must be whole, or split by one block into a quotient and a remainder}}
func.func private @f() attributes {test.a = #graph.layout<(d0, d1) -> (d0)>}

// -----

// expected-error @below {{every dimension must be whole, or split by one block into a quotient and a remainder}}
func.func private @f() attributes {test.a = #graph.layout<(d0, d1) -> (d0, d1 floordiv 8, d1 mod 4)>}

// -----

// expected-error @below {{range 64..=1 is empty}}
func.func private @f() attributes {test.a = #graph.dim<"batch", 64, 1>}

// -----

// expected-error @below {{least extent -1 is negative}}
func.func private @f() attributes {test.a = #graph.dim<"batch", -1, 1>}

// -----

// expected-error @below {{has 1 offsets for 2 extents of the buffer}}
func.func private @f() attributes {test.a = #graph.placement<"b" at [0] of [4, 4]>}

// -----

// expected-error @below {{offset 5 is outside dimension 1, which has 4}}
func.func private @f() attributes {test.a = #graph.placement<"b" at [0, 5] of [4, 4]>}

// -----

// expected-error @below {{code 'No Route' must be of lower-case letters, digits and dashes}}
func.func private @f() attributes {test.a = #graph.decision<"No Route", nodes = [], message = "", saved_bytes = 0>}

// -----

// expected-error @below {{expected ::sinter::graph::NumericsClass to be one of: exact, rounding, reassociating, approximate}}
// expected-error @below {{failed to parse Graph_NumericsAttr parameter 'value' which is to be a `::sinter::graph::NumericsClass`}}
func.func private @f() attributes {test.a = #graph.numerics<fast>}

// -----

// expected-error @below {{'func.func' op has 0 entries of 'graph.dims' for 1 dimensions}}
func.func private @f(tensor<?xf32> {graph.dims = []})

// -----

// expected-error @below {{'func.func' op entry 0 of 'graph.dims' names an extent that is known}}
func.func private @f(tensor<4xf32> {graph.dims = [#graph.dim<"batch", 1, 64>]})

// -----

// expected-error @below {{'func.func' op entry 0 of 'graph.dims' must be a '#graph.dim' or unit}}
func.func private @f(tensor<?xf32> {graph.dims = ["batch"]})

// -----

// expected-error @below {{'func.func' op 'graph.dims' of argument 0 must be an array}}
func.func private @f(tensor<?xf32> {graph.dims = 1})

// -----

// expected-error @below {{'func.func' op 'graph.name' of argument 0 must be a string}}
func.func private @f(tensor<4xf32> {graph.name = 1})

// -----

// expected-error @below {{'func.func' op 'graph.unknown' is not an attribute of arguments}}
func.func private @f(tensor<4xf32> {graph.unknown})

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'graph.relu' op 'graph.never_fuse' must be without a value; leave it out where it is not wished}}
  %0 = graph.relu %x {graph.never_fuse = false} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'graph.never_fuse' must be without a value}}
  %0 = graph.relu %x {graph.never_fuse = 3 : i32} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'graph.boundary' must be without a value}}
  %0 = graph.relu %x {graph.boundary = "x"} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'graph.must_fuse' must be a name of the kernel, a string}}
  %0 = graph.relu %x {graph.must_fuse = 1 : i32} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'graph.must_fuse' must be a name of the kernel, a string}}
  %0 = graph.relu %x {graph.must_fuse} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'graph.must_fuse' must be a name of the kernel, a string}}
  %0 = graph.relu %x {graph.must_fuse = ""} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'graph.numerics' must be a numerics class, a string}}
  %0 = graph.relu %x {graph.numerics = 1 : i32} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'graph.numerics' must be a numerics class, a string}}
  %0 = graph.relu %x {graph.numerics = ""} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'graph.disable' must be an array of rules or topics, which are strings}}
  %0 = graph.relu %x {graph.disable = "nix"} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'graph.disable' must be an array of rules or topics, which are strings}}
  %0 = graph.relu %x {graph.disable = []} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'graph.disable' must be an array of rules or topics, which are strings}}
  %0 = graph.relu %x {graph.disable = [""]} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'graph.disable' must be an array of rules or topics, which are strings}}
  %0 = graph.relu %x {graph.disable = ["activation", 1]} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'graph.nevr_fuse' is not an attribute of operations; did you mean 'graph.never_fuse'?}}
  %0 = graph.relu %x {graph.nevr_fuse} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'graph.qwertz' is not an attribute of operations}}
  %0 = graph.relu %x {graph.qwertz} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'graph.layout' must be a '#graph.layout'}}
  %0 = graph.relu %x {graph.layout = 1} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'graph.placement' must be a '#graph.placement'}}
  %0 = graph.relu %x {graph.placement = "b"} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'graph.operand_layouts' must be an array}}
  %0 = graph.relu %x {graph.operand_layouts = 1} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{'func.func' op is no operator, so 'graph.never_fuse' would have no effect}}
func.func private @f() attributes {graph.never_fuse}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'graph.composite' op is no operator, so 'graph.never_fuse' would have no effect; the operators inside may have it}}
  %0 = graph.composite "unit" (%x : tensor<4xf32>) attributes {graph.never_fuse} {
  ^bb0(%a: tensor<4xf32>):
    %e = graph.exp %a : tensor<4xf32>
    graph.yield %e : tensor<4xf32>
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'graph.composite' op has an empty name}}
  %0 = graph.composite "" (%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %e = graph.exp %a : tensor<4xf32>
    graph.yield %e : tensor<4xf32>
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{'func.func' op 'graph.name' of argument 0 is empty}}
func.func private @f(tensor<4xf32> {graph.name = ""})

// -----

// expected-error @below {{'func.func' op 'graph.name' of result 0 is empty}}
func.func private @f() -> (tensor<4xf32> {graph.name = ""})

// -----

// expected-error @below {{'func.func' op 'graph.name' of result 0 must be a string}}
func.func private @f() -> (tensor<4xf32> {graph.name = 1})

// -----

// expected-error @below {{'func.func' op 'graph.dims' is not an attribute of results}}
func.func private @f() -> (tensor<?xf32> {graph.dims = []})

// -----

// expected-error @below {{the name of the extent is empty}}
func.func private @f() attributes {test.a = #graph.dim<"", 1, 64>}

// -----

// expected-error @below {{the name of the buffer is empty}}
func.func private @f() attributes {test.a = #graph.placement<"" at [0] of [4]>}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'graph.group' op has an empty name}}
  %0 = graph.group @""(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %e = graph.exp %a : tensor<4xf32>
    graph.yield %e : tensor<4xf32>
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
