//! Passes between dialects, one file each, and the generators that they share.

pub mod graph_to_tloop;
pub mod host;
pub mod npu_to_func;
pub mod tloop_to_npu;
