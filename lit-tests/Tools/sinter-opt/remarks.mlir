// RUN: sinter-opt %s --test-remarks --remarks-filter=test-remarks --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: sinter-opt %s --test-remarks --remarks-filter-missed=test-remarks --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=MISSED
// RUN: sinter-opt %s --test-remarks --remarks-filter=other --remark-format=emitRemark -o /dev/null 2>&1 | count 0

// ALL: remark: [Passed] fused | Category:test-remarks | Function=main | Reason="a reason", Remark="a message", Suggestion="a suggestion", bytes=4096
// ALL: remark: [Missed] refused
// ALL: remark: [Failure] broken
// ALL: remark: [Analysis] priced
// MISSED-NOT: Passed
// MISSED: remark: [Missed] refused
// MISSED-NOT: Analysis
module {
}
