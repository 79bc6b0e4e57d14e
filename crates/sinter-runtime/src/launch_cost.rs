//! What launching itself costs.

use std::time::Instant;

use sinter_model::{Container, Kernel, Manifest, Record, Statistics, Target, to_bytes};

use crate::error::Error;
use crate::model::Model;
use crate::session::Session;

/// Launches of one run.
const LAUNCHES: usize = 1000;
/// Timed runs.
const RUNS: usize = 50;

unsafe extern "C" fn nothing(_: *const *mut u8, _: *const i64, _: u64, _: u64, _: *mut u8) {}

/// Least time of the launch of a kernel that does nothing, with the barrier after it: over all of
/// `threads` threads when it is `parallel`, else on the calling one.
///
/// # Errors
///
/// [`Error::Resource`] when threads cannot be had.
pub fn empty_launch_ns(parallel: bool, threads: usize) -> Result<f64, Error> {
    let mut session = Session::new(&model(parallel)?, threads)?;
    let mut least = f64::INFINITY;
    for _ in 0..RUNS {
        let start = Instant::now();
        session.run(&[], &mut [])?;
        least = least.min(start.elapsed().as_nanos() as f64 / LAUNCHES as f64);
    }
    Ok(least)
}

/// A program of nothing but launches and barriers.
fn model(parallel: bool) -> Result<Model, Error> {
    let launch = Record::Launch {
        kernel: 0,
        args: vec![],
        dims: vec![],
        blocks: 64.into(),
    };
    let manifest = Manifest {
        format: sinter_model::FORMAT_VERSION,
        model: "empty".into(),
        device: "host".into(),
        target: Target {
            arch: std::env::consts::ARCH.into(),
            ..Target::default()
        },
        inputs: vec![],
        outputs: vec![],
        symbols: vec![],
        arena_bytes: 0.into(),
        scratch_bytes: 0,
        spaces: vec![],
        kernels: vec![Kernel {
            symbol: "nothing".into(),
            origins: vec![],
            core: "vector".into(),
            inputs: 0,
            outputs: 0,
            in_place: vec![],
            disjoint: vec![],
            read_bytes: 0,
            written_bytes: 0,
            flops: 0,
            price_ns: 0.0,
            parallel,
        }],
        program: (0..LAUNCHES)
            .flat_map(|_| [launch.clone(), Record::Barrier])
            .collect(),
        decisions: Default::default(),
        statistics: Statistics::default(),
    };
    let container = Container::from_bytes(&to_bytes(&manifest, b"", b"")?)?;
    // SAFETY: The kernel touches nothing.
    unsafe { Model::with_kernels(container, vec![nothing]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_take_time() {
        for (parallel, threads) in [(false, 1), (true, 1), (true, 2)] {
            let ns = empty_launch_ns(parallel, threads).unwrap();
            assert!(ns > 0.0 && ns.is_finite());
        }
    }
}
