//! `sinter bench`.

use anyhow::{Result, bail};

use super::{print, print_timing};
use crate::args::Bench;

pub(crate) fn execute(args: &Bench) -> Result<()> {
    if args.runs == 0 {
        bail!("--runs 0 measures nothing; give at least 1");
    }
    let options = args.compile.options(args.threads);
    let bench = sinter_driver::bench(&args.model, &options, args.threads, args.runs)?;
    if args.compile.timing {
        print_timing(&bench.timing);
    }
    if args.json {
        return Ok(print(&serde_json::to_string_pretty(&bench.report)?)?);
    }
    let r = &bench.report;
    let mut text = format!(
        "{} on {}, {} threads, {} runs\nmedian {:.3} ms  (min {:.3}, max {:.3})\n\
         operators {}  kernels {}\nintermediate bytes {}  arena {}\n",
        r.model,
        r.device,
        r.threads,
        r.runs,
        r.median_ms,
        r.min_ms,
        r.max_ms,
        r.operators,
        r.kernels,
        r.intermediate_bytes,
        r.peak_bytes
    );
    if args.kernels {
        text += &format!("\n{:>10} {:>10}  kernel\n", "us", "price us");
        for k in &r.kernel_times {
            let (us, price) = (k.median_us, k.price_us);
            text += &format!(
                "{us:>10.1} {price:>10.1}  {} [{}]\n",
                k.symbol,
                k.origins.join(", ")
            );
        }
    }
    Ok(print(&text)?)
}
