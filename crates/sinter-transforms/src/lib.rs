//! Passes within one dialect, one file each.
//!
//! | pass | does |
//! |---|---|
//! | [`apply_pdl_patterns`] | rewrite patterns from a file of PDL or PDLL |
//! | [`graph_simplify`] | constants evaluated, identities folded |
//! | [`graph_to_eclass`], [`graph_saturate`], [`graph_extract`] | the e-graph, step by step |
//! | [`graph_fuse`] | operators into kernels |
//! | [`irdl_cse`] | equal operations without effects, also those that IRDL defines |
//! | [`tloop_pack_constants`] | layouts for the weights of contractions |
//! | [`tloop_apply_layouts`] | slots get their physical shape |
//! | [`tloop_place_stages`] | stages that belong together become one nest |
//! | [`tloop_online_softmax`] | a softmax that a product uses: divided late, or computed in chunks |
//! | [`tloop_coalesce`] | fewer and longer iterators |
//! | [`tloop_schedule`] | blocks, register tiles and vectors |
//! | [`npu_plan_memory`] | places in the arena and the scratchpads |
//! | [`npu_verify_plan`] | an independent check of those places |
//! | [`npu_insert_sync`] | waits for transfers |
//! | [`npu_check_races`] | every transfer is waited for |

pub mod apply_pdl_patterns;
pub mod fused_module;
pub mod graph_extract;
pub mod graph_fuse;
pub mod graph_saturate;
pub mod graph_simplify;
pub mod graph_to_eclass;
pub mod irdl_cse;
mod kernels;
pub mod model;
pub mod npu_check_races;
pub mod npu_insert_sync;
pub mod npu_plan_memory;
pub mod npu_verify_plan;
pub mod tloop_apply_layouts;
pub mod tloop_coalesce;
pub mod tloop_online_softmax;
pub mod tloop_pack_constants;
pub mod tloop_place_stages;
pub mod tloop_schedule;
mod transfers;
mod unfusable;

use sinter_pass::Entry;

/// The passes of this crate, for the registry.
pub fn passes() -> Vec<Entry> {
    vec![
        Entry::new(graph_simplify::GraphSimplify),
        Entry::new(graph_to_eclass::GraphToEclass),
        Entry::new(graph_saturate::GraphSaturate),
        Entry::new(graph_extract::GraphExtract),
        Entry::new(graph_fuse::GraphFuse),
        Entry::new(irdl_cse::IrdlCse),
        Entry::new(apply_pdl_patterns::ApplyPdlPatterns),
        Entry::new(tloop_pack_constants::TloopPackConstants),
        Entry::new(tloop_apply_layouts::TloopApplyLayouts),
        Entry::new(tloop_place_stages::TloopPlaceStages),
        Entry::new(tloop_online_softmax::TloopOnlineSoftmax),
        Entry::new(tloop_coalesce::TloopCoalesce),
        Entry::new(tloop_schedule::TloopSchedule),
        Entry::new(npu_insert_sync::NpuInsertSync),
        Entry::new(npu_check_races::NpuCheckRaces),
        Entry::new(npu_plan_memory::NpuPlanMemory),
        Entry::new(npu_verify_plan::NpuVerifyPlan),
    ]
}
