// RUN: sinter-opt %s --test-panic --verify-diagnostics

// A panic in a pass is an error at the operation that the pass ran on.

// expected-error @below {{pass 'test-panic' panicked: this is what the panic says}}
module {
}
