//! The named pipelines.
//!
//! Steps are numbered by their place. A pipeline names passes as text; the crates that hold them put
//! both into one [`Registry`](crate::Registry).

use crate::pipeline::{Pipeline, Step};

/// All named pipelines.
pub const ALL: &[Pipeline] = &[GRAPH_SIMPLIFY];

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
