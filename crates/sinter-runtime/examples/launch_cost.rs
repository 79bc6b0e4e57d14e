//! Prints what an empty launch costs on one thread and on several: `launch_cost [THREADS]`.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let threads = std::env::args().nth(1).map_or(Ok(2), |n| n.parse())?;
    for (what, parallel, threads) in [
        ("one thread", true, 1),
        ("serial launches", false, threads),
        ("all threads", true, threads),
    ] {
        let ns = sinter_runtime::empty_launch_ns(parallel, threads)?;
        println!("{what:16} ({threads} threads): {ns:7.1} ns a launch");
    }
    Ok(())
}
