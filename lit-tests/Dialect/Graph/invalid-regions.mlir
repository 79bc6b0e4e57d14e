// RUN: sinter-opt %s --split-input-file --verify-diagnostics

// Regions.

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'graph.group' op has 2 region arguments for 1 operands}}
  %r = graph.group @g (%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'graph.group' op region argument 0 is 'tensor<8xf32>', but must be 'tensor<4xf32>'}}
  %r = graph.group @g (%x : tensor<4xf32>) {
  ^bb0(%a: tensor<8xf32>):
    graph.yield %a : tensor<8xf32>
  } -> tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'graph.group' op has 0 yielded values for 1 results}}
  %r = graph.group @g (%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    graph.yield
  } -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'graph.group' op yielded value 0 is 'tensor<4xf32>', but must be 'tensor<8xf32>'}}
  %r = graph.group @g (%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  } -> tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-note @below {{required by region isolation constraints}}
  %r = graph.group @g (%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    // expected-error @below {{'graph.relu' op using value defined outside the region}}
    %0 = graph.relu %x : tensor<4xf32>
    graph.yield %0 : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'graph.group' op has 0 layouts for 1 results}}
  %r = graph.group @g (%x : tensor<4xf32>) attributes {layouts = []} {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'graph.group' op has 2 placements for 1 results}}
  %r = graph.group @g (%x : tensor<4xf32>) attributes {placements = [unit, unit]} {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

func.func @f(%n: tensor<i64>, %x: tensor<4xf32>) {
  // expected-error @below {{'graph.loop' op region argument 0 must be the iteration number, 'tensor<i64>'}}
  %r = graph.loop %n carry(%x : tensor<4xf32>) {
  ^bb0(%acc: tensor<4xf32>):
    graph.yield %acc : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

func.func @f(%n: tensor<i64>, %x: tensor<4xf32>) {
  // expected-error @below {{'graph.loop' op has 1 initial values for 0 results}}
  graph.loop %n carry(%x : tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %acc: tensor<4xf32>):
    graph.yield %acc : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%c: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @below {{'graph.if' op has 0 yielded values for 1 results}}
  %r = graph.if %c {
    graph.yield %x : tensor<4xf32>
  } else {
    graph.yield
  } -> tensor<4xf32>
  return
}

// -----

func.func @f(%c: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @below {{'graph.if' op has a region with arguments}}
  %r = graph.if %c {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  } else {
    graph.yield %x : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'graph.composite' op yielded value 0 is 'tensor<4xf32>', but must be 'tensor<8xf32>'}}
  %r = graph.composite "gate" (%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  } -> tensor<8xf32>
  return
}

// -----

func.func @f() {
  // expected-error @below {{'graph.eclass' op expected 1 or more operands, but found 0}}
  %r = "graph.eclass"() : () -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'graph.eclass' op chosen 1 is outside its members}}
  %r = graph.eclass %x {chosen = 1 : i64} : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'graph.yield' op expects parent op to be one of 'graph.group, graph.loop, graph.if, graph.composite'}}
  graph.yield %x : tensor<4xf32>
  return
}
