//! Makes a module that shows a fault small.
//!
//! | module | holds |
//! |---|---|
//! | [`reductions`] | what makes one operation simpler, for every dialect that kernels are made of |
//! | [`patterns`] | the same as rewrite patterns, for MLIR's own `--reduction-tree` |
//! | [`symbols`] | what makes functions and modules smaller: symbols, results, arguments |
//! | [`search`] | the search: delta debugging over all of these, until nothing more can go |
//! | [`check`] | what a fault is: a wrong result, a slow program, IR that the verifier refuses, a failure |
//! | [`command`] | the command line of `sinter-reduce` |
//!
//! The search changes IR in memory and asks a process of its own whether the fault is still there, for the
//! code of a broken program may crash. It is deterministic as far as the question is.

pub mod check;
pub mod command;
pub mod patterns;
mod question;
pub mod reductions;
pub mod search;
pub mod symbols;
