// RUN: sinter-opt %s --test-remarks --remarks-filter=test-remarks --remark-format=yaml --remarks-output-file=%t.yaml -o /dev/null
// RUN: FileCheck %s < %t.yaml

// CHECK: --- !Passed
// CHECK-NEXT: Pass: test-remarks
// CHECK-NEXT: Name: fused
// CHECK: Function: main
// CHECK: - Remark: a message
// CHECK: - bytes: '4096'
// CHECK: --- !Missed
module {
}
