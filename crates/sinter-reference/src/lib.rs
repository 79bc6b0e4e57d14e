//! The oracle: walks a graph with the operators' reference evaluation.
