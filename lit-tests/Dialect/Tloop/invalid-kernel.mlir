// RUN: sinter-opt %s --split-input-file --verify-diagnostics

// Kernels, launches and calls.

tloop.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'tloop.return' op has 0 values for 1 results of the kernel}}
  tloop.return
}

// -----

tloop.kernel @k(%x: tensor<4xf32>) -> tensor<8xf32> {
  // expected-error @below {{'tloop.return' op value 0 is 'tensor<4xf32>', but must be 'tensor<8xf32>'}}
  tloop.return %x : tensor<4xf32>
}

// -----

// expected-error @below {{'tloop.kernel' op has 0 roles for 1 arguments}}
tloop.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {roles = []} {
  tloop.return %x : tensor<4xf32>
}

// -----

// expected-error @below {{'tloop.kernel' op attribute 'roles' failed to satisfy constraint: list of input, constant, output}}
tloop.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {roles = ["scratch"]} {
  tloop.return %x : tensor<4xf32>
}

// -----

// expected-error @below {{'tloop.kernel' op has 1 layouts for 2 arguments and results}}
tloop.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {layouts = [unit]} {
  tloop.return %x : tensor<4xf32>
}

// -----

// expected-error @below {{'tloop.kernel' op has 1 stage schedules for 0 stages}}
tloop.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {schedule = #tloop.schedule<grid = [], stages = [#tloop.stage<order = [0], lanes = 1, vectors = 1, row_tile = 1, unroll = 1, reduction_tile = []>]>} {
  tloop.return %x : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'tloop.launch' op refers to 'missing', which does not exist}}
  %0 = tloop.launch @missing(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func private @g(tensor<4xf32>) -> tensor<4xf32>
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'tloop.launch' op launches a 'func.func', but must launch a 'tloop.kernel'}}
  %0 = tloop.launch @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

tloop.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  tloop.return %x : tensor<4xf32>
}
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'tloop.launch' op has 2 operands for 1 arguments}}
  %0 = tloop.launch @k(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

tloop.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  tloop.return %x : tensor<4xf32>
}
func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{'tloop.launch' op operand 0 is 'tensor<8xf32>', which does not lie in memory as 'tensor<4xf32>'}}
  %0 = tloop.launch @k(%x) : (tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

tloop.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  tloop.return %x : tensor<4xf32>
}
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'tloop.launch' op result 0 is 'tensor<8xf32>', which does not lie in memory as 'tensor<4xf32>'}}
  %0 = tloop.launch @k(%x) : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

tloop.kernel @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  tloop.return %x : tensor<4xf32>
}
tloop.kernel @k(%x: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @below {{'tloop.call' op operand 0 is 'tensor<8xf32>', but must be 'tensor<4xf32>'}}
  %0 = tloop.call @g(%x) : (tensor<8xf32>) -> tensor<4xf32>
  tloop.return %0 : tensor<4xf32>
}

// -----

func.func private @g(tensor<4xf32>) -> tensor<4xf32>
tloop.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'tloop.call' op calls a 'func.func', but must call a 'tloop.kernel'}}
  %0 = tloop.call @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
  tloop.return %0 : tensor<4xf32>
}

// -----

tloop.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  tloop.return %x : tensor<4xf32>
}
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'tloop.call' op expects parent op 'tloop.kernel'}}
  %0 = tloop.call @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'tloop.return' op expects parent op 'tloop.kernel'}}
  tloop.return %x : tensor<4xf32>
}
