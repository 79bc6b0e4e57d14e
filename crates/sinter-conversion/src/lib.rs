//! Passes between dialects, one file each, and the generators that they share.

pub mod expand_math;
pub mod graph_to_tloop;
pub mod host;
pub mod npu_to_func;
pub mod tloop_to_npu;

use sinter_pass::Entry;

/// The passes of this crate, for the registry.
pub fn passes() -> Vec<Entry> {
    vec![
        Entry::new(graph_to_tloop::ConvertGraphToTloop),
        Entry::new(tloop_to_npu::ConvertTloopToNpu),
        Entry::new(npu_to_func::ConvertNpuToFunc),
        Entry::new(expand_math::ExpandMath),
    ]
}
