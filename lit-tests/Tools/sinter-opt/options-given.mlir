// RUN: sinter-opt %s --test-options='fruit=pear how-many=-5 at-least=7 ripe label=x' --verify-diagnostics
// RUN: sinter-opt %s --pass-pipeline='builtin.module(test-options{fruit=pear how-many=-5 at-least=7 ripe=true label=x})' --verify-diagnostics

// expected-remark @below {{Pear -5 7 true 'x'}}
// expected-note @below {{a note}}
module {
}
