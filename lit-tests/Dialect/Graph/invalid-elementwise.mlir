// RUN: sinter-opt %s --split-input-file --verify-diagnostics

// Elementwise operators.

func.func @f(%x: tensor<2x4xi1>) {
  // expected-error @below {{'graph.exp' op needs a floating-point operand, not tensor<2x4xi1>}}
  %0 = graph.exp %x : tensor<2x4xi1>
  return
}

// -----

func.func @f(%x: tensor<2x4xf32>) {
  // expected-error @below {{'graph.relu' op requires the same type for all operands and results}}
  %0 = "graph.relu"(%x) : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @f(%a: tensor<2x4xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{'graph.add' op shapes [2, 4] and [3] do not broadcast}}
  %0 = graph.add %a, %b : (tensor<2x4xf32>, tensor<3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x4xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{'graph.add' op result 0 is tensor<4xf32>, but the operator gives tensor<2x4xf32>}}
  %0 = graph.add %a, %b : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>, %b: tensor<4xi64>) {
  // expected-error @below {{'graph.mul' op operands have element types f32 and i64}}
  %0 = graph.mul %a, %b : (tensor<4xf32>, tensor<4xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{'graph.and' op does not take operands of f32}}
  %0 = graph.and %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{'graph.compare' op result 0 is tensor<4xf32>, but the operator gives tensor<4xi1>}}
  %0 = graph.compare lt %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{'graph.compare' op attribute 'kind' failed to satisfy constraint: string attribute one of eq, ne, lt, le, gt, ge}}
  %0 = graph.compare less %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

func.func @f(%c: tensor<4xf32>, %a: tensor<4xf32>) {
  // expected-error @below {{'graph.select' op operand #0 must be ranked tensor of 1-bit signless integer values, but got 'tensor<4xf32>'}}
  %0 = graph.select %c, %a, %a : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xi64>) {
  // expected-error @below {{'graph.cast' op result 0 is tensor<4xf16>, but the operator gives tensor<4xf32>}}
  %0 = graph.cast %x to f32 : tensor<4xi64> -> tensor<4xf16>
  return
}

// -----

func.func @f(%x: tensor<*xf32>) {
  // expected-error @below {{custom op 'graph.relu' invalid kind of type specified: expected builtin.tensor, but found 'tensor<*xf32>'}}
  %0 = graph.relu %x : tensor<*xf32>
  return
}

// -----

func.func @f(%x: tensor<4xi16>) {
  // expected-error @below {{'graph.abs' op operand #0 must be ranked tensor of 32-bit float or 64-bit float or 16-bit float or bfloat16 type or 64-bit signless integer or 32-bit signless integer or 8-bit signless integer or 8-bit unsigned integer or 1-bit signless integer values, but got 'tensor<4xi16>'}}
  %0 = graph.abs %x : tensor<4xi16>
  return
}
