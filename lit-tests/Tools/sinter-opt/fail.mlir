// RUN: sinter-opt %s --test-fail --verify-diagnostics

// expected-error @below {{test-fail: this is why it fails}}
module {
}
