// RUN: sinter-opt %s --test-options --verify-diagnostics

// Defaults.

// expected-remark @below {{Apple 3 0 false 'none'}}
// expected-note @below {{a note}}
module {
}
