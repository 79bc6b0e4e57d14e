//! Measures what an empty launch costs on one thread and on several: `launch_cost [THREADS]`.

use sinter_model::{Container, Kernel, Manifest, Record, Statistics, Target, to_bytes};
use sinter_runtime::{Model, Session};

const LAUNCHES: usize = 1000;
const RUNS: usize = 200;

unsafe extern "C" fn nothing(_: *const *mut u8, _: *const i64, _: u64, _: u64, _: *mut u8) {}

fn model(parallel: bool) -> Result<Model, sinter_runtime::Error> {
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
        decisions: serde_json::Value::Null,
        statistics: Statistics::default(),
    };
    let container = Container::from_bytes(&to_bytes(&manifest, b"", b"")?)?;
    // SAFETY: The kernel touches nothing.
    unsafe { Model::with_kernels(container, vec![nothing]) }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let threads = std::env::args().nth(1).map_or(Ok(2), |n| n.parse())?;
    for (what, parallel, threads) in [
        ("1 thread", true, 1),
        ("serial launches", false, threads),
        ("all threads", true, threads),
    ] {
        let mut session = Session::new(&model(parallel)?, threads)?;
        let mut samples: Vec<f64> = Vec::with_capacity(RUNS);
        for _ in 0..RUNS {
            let start = std::time::Instant::now();
            session.run(&[], &mut [])?;
            samples.push(start.elapsed().as_nanos() as f64 / LAUNCHES as f64);
        }
        samples.sort_by(f64::total_cmp);
        println!(
            "{what:16} ({} used): {:7.1} ns a launch (least {:.1})",
            session.threads(),
            samples[RUNS / 2],
            samples[0]
        );
    }
    Ok(())
}
