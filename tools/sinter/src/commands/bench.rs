//! `sinter bench`.

use anyhow::Result;

use super::{print, print_timing};
use crate::args::Bench;

pub(crate) fn execute(args: &Bench) -> Result<()> {
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
        "{} on {}, {} threads, {} runs\nmedian {}  (min {}, max {})\n\
         operators {}  kernels {}\nintermediate bytes {}  arena {}\n",
        r.model,
        r.device,
        r.threads,
        r.runs,
        duration(r.median_ms),
        duration(r.min_ms),
        duration(r.max_ms),
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

/// A time in the unit in which it is readable.
fn duration(ms: f64) -> String {
    if ms < 0.1 {
        format!("{:.2} us", ms * 1e3)
    } else {
        format!("{ms:.3} ms")
    }
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn short_times_are_in_microseconds() {
        assert_eq!(duration(0.000_214), "0.21 us");
        assert_eq!(duration(0.5), "0.500 ms");
    }
}
