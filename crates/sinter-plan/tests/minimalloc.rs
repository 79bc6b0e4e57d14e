//! The public hard instances, which live beside the project.

use std::path::Path;

use sinter_plan::{check, instance, plan};

const CAPACITY: u64 = 1_048_576;

fn solve(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/minimalloc");
    let path = folder.join(format!("{name}.{CAPACITY}.csv"));
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: {} is not there", path.display());
        return;
    };
    let buffers = instance::parse(&text).unwrap();
    let plan = plan(&buffers, CAPACITY).unwrap();
    check(&buffers, &plan).unwrap();
    assert!(plan.peak <= CAPACITY, "{} bytes", plan.peak);
}

macro_rules! instances {
    ($($test:ident $name:literal),*) => { $(#[test] fn $test() { solve($name); })* };
}

instances!(a "A", c "C", e "E", g "G", i "I", k "K");
