//! Prints how long loading an offline model takes until its first run: `load_time MODEL.sinter [THREADS]`.

use std::time::Instant;

use sinter_runtime::{Model, Session};

const ROUNDS: usize = 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("load_time MODEL.sinter [THREADS]")?;
    let threads = args.next().map_or(Ok(1), |n| n.parse())?;
    let (mut load, mut session) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let model = Model::load(path.as_ref())?;
        load = load.min(start.elapsed().as_secs_f64() * 1e3);
        let start = Instant::now();
        Session::new(&model, threads)?;
        session = session.min(start.elapsed().as_secs_f64() * 1e3);
    }
    println!("model {load:.2} ms, session {session:.2} ms");
    Ok(())
}
