// RUN: sinter-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics

// Attributes.

// expected-error @below {{result 0 is not a dimension, its quotient or its remainder}}
func.func private @f() attributes {test.a = #tloop.layout<(d0, d1) -> (d0 * 2, d1)>}

// -----

// expected-error @below {{extent -1 is negative}}
func.func private @f() attributes {test.a = #tloop.axis<extent = -1, tile = 4, iters = [0]>}

// -----

// expected-error @below {{tile 0 is not positive}}
func.func private @f() attributes {test.a = #tloop.axis<extent = 8, tile = 0, iters = [0]>}

// -----

// expected-error @below {{iterator -2 is less than -1}}
func.func private @f() attributes {test.a = #tloop.axis<extent = 8, tile = 4, iters = [-2]>}

// -----

// expected-error @below {{order is not a permutation of the iterators}}
func.func private @f() attributes {test.a = #tloop.stage<order = [0, 0], lanes = 1, vectors = 1, row_tile = 1, unroll = 1, reduction_tile = []>}

// -----

// expected-error @below {{vector iterator 1 is outside the order}}
func.func private @f() attributes {test.a = #tloop.stage<order = [0], vector = 1, lanes = 8, vectors = 1, row_tile = 1, unroll = 1, reduction_tile = []>}

// -----

// expected-error @below {{lanes is negative}}
func.func private @f() attributes {test.a = #tloop.stage<order = [0], lanes = -1, vectors = 1, row_tile = 1, unroll = 1, reduction_tile = []>}

// -----

// expected-error @below {{lanes is 2147483648, it may be 1024 at most}}
func.func private @f() attributes {test.a = #tloop.stage<order = [0], lanes = 2147483648, vectors = 1, row_tile = 1, unroll = 1, reduction_tile = []>}

// -----

// expected-error @below {{jam and jam_tile are given together or not at all}}
func.func private @f() attributes {test.a = #tloop.stage<order = [0, 1], lanes = 1, vectors = 1, rows = 1, row_tile = 1, jam = 0, unroll = 1, reduction_tile = []>}

// -----

// expected-error @below {{lanes, vectors, row_tile, jam_tile and unroll make more than 1048576 points}}
func.func private @f() attributes {test.a = #tloop.stage<order = [0], lanes = 1024, vectors = 1024, row_tile = 2, unroll = 0, reduction_tile = []>}

// -----

// expected-error @below {{'1 : i64' is not a '#tloop.stage'}}
func.func private @f() attributes {test.a = #tloop.schedule<grid = [], stages = [1]>}

// -----

// expected-error @below {{'1 : i64' is not a '#tloop.axis'}}
func.func private @f() attributes {test.a = #tloop.schedule<grid = [1], stages = []>}

// -----

// expected-error @below {{has 1 iterators of a grid axis for 0 stages}}
func.func private @f() attributes {test.a = #tloop.schedule<grid = [#tloop.axis<extent = 8, tile = 4, iters = [0]>], stages = []>}
