//! The named pipelines.
//!
//! Steps are numbered by their place. A pipeline names passes as text; the crates that hold them put
//! both into one [`Registry`](crate::Registry).

use crate::pipeline::{Pipeline, PipelineOption, Step};

/// All named pipelines.
pub const ALL: &[Pipeline] = &[
    GRAPH_SIMPLIFY,
    GRAPH_TO_TLOOP,
    TLOOP_TO_NPU,
    NPU_TO_FUNC,
    COMPILE,
];

const DEVICE: PipelineOption = PipelineOption {
    name: "device",
    help: "Device name or file",
    initial: "host",
};

/// Upstream clean-up of a `graph` module.
const GRAPH_SIMPLIFY: Pipeline = Pipeline {
    name: "sinter-graph-simplify",
    summary: "Canonical form of a graph module",
    options: &[],
    steps: &[
        Step {
            run: "inline",
            why: "one function to look at",
        },
        Step {
            run: "canonicalize",
            why: "constants fold, identities go",
        },
        Step {
            run: "cse",
            why: "equal operators once",
        },
        Step {
            run: "symbol-dce",
            why: "functions that were inlined",
        },
    ],
};

/// From groups to scheduled kernels.
pub const GRAPH_TO_TLOOP: Pipeline = Pipeline {
    name: "sinter-graph-to-tloop",
    summary: "Groups to scheduled loop nests",
    options: &[DEVICE],
    steps: &[
        Step {
            run: "convert-graph-to-tloop",
            why: "a nest per operator, logical shapes",
        },
        Step {
            run: "tloop-pack-constants{device=${device}}",
            why: "weights lie as the register tile or matrix unit reads them",
        },
        Step {
            run: "tloop-apply-layouts",
            why: "slots get their physical shape",
        },
        Step {
            run: "tloop-place-stages",
            why: "what can stay in registers or on chip does",
        },
        Step {
            run: "tloop-online-softmax{device=${device}}",
            why: "the form of an attention that was priced",
        },
        Step {
            run: "tloop-coalesce",
            why: "fewer and longer loops",
        },
        Step {
            run: "tloop-schedule{device=${device}}",
            why: "blocks, register tiles and vectors: the schedule that was priced",
        },
    ],
};

/// From scheduled kernels to a planned program.
pub const TLOOP_TO_NPU: Pipeline = Pipeline {
    name: "sinter-tloop-to-npu",
    summary: "Scheduled loop nests to device kernels and a planned program",
    options: &[DEVICE],
    steps: &[
        Step {
            run: "convert-tloop-to-npu{device=${device}}",
            why: "transfers and compute regions; launches on virtual buffers",
        },
        Step {
            run: "npu-insert-sync",
            why: "from sequential order to order by tokens",
        },
        Step {
            run: "npu-check-races",
            why: "every transfer is waited for",
        },
        Step {
            run: "npu-plan-memory{device=${device}}",
            why: "after the waits, which keep tiles alive",
        },
        Step {
            run: "npu-verify-plan{device=${device}}",
            why: "independent of the planner: nothing overlaps, nothing is over a space's size",
        },
    ],
};

/// From device kernels to functions that upstream conversions take.
pub const NPU_TO_FUNC: Pipeline = Pipeline {
    name: "sinter-npu-to-func",
    summary: "Planned device kernels to functions of one block",
    options: &[],
    steps: &[
        Step {
            run: "convert-npu-to-func",
            why: "plain code on device buffers and scratch memory",
        },
        Step {
            run: "expand-math",
            why: "functions without an instruction of their own",
        },
        Step {
            run: "canonicalize",
            why: "constants of tiles meet the code that uses them",
        },
        Step {
            run: "cse",
            why: "addresses once",
        },
    ],
};

/// The whole way, from operators to a planned program.
pub const COMPILE: Pipeline = Pipeline {
    name: "sinter-compile",
    summary: "Operators to device kernels and a planned program",
    options: &[
        DEVICE,
        PipelineOption {
            name: "policy",
            help: "How kernels are chosen",
            initial: "egraph",
        },
        PipelineOption {
            name: "numerics",
            help: "How far results may differ from the unfused ones",
            initial: "reassociating",
        },
    ],
    steps: &[
        Step {
            run: "graph-simplify",
            why: "constants evaluated, identities folded",
        },
        Step {
            run: "graph-fuse{device=${device} policy=${policy} numerics=${numerics}}",
            why: "groups, layouts, placements, schedules",
        },
        Step {
            run: "sinter-graph-to-tloop{device=${device}}",
            why: "loop nests",
        },
        Step {
            run: "sinter-tloop-to-npu{device=${device}}",
            why: "device kernels",
        },
    ],
};
