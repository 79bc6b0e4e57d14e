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
