//! Damaged files give a graph or an error, never a panic: every prefix of the small models, and seeded
//! changes of their bytes.

mod common;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use sinter_onnx::import;

const MODELS: [&str; 3] = ["chain", "tiny_transformer", "tiny_cnn"];
const MUTANTS: u64 = 400;

/// Imports the bytes as a file; panics with a reproducer kept when the importer does.
fn survive(folder: &tempfile::TempDir, what: &str, data: &[u8]) {
    let path = folder.path().join("model.onnx");
    fs::write(&path, data).unwrap();
    let options = common::shapes(&[("x", &[1, 16, 32])]);
    for options in [options, Default::default()] {
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            if let Err(error) = import(&path, &options) {
                assert!(!error.to_string().is_empty());
            }
        }));
        assert!(outcome.is_ok(), "{what}: the importer panicked");
    }
}

#[test]
fn prefixes() {
    let folder = tempfile::tempdir().unwrap();
    for name in MODELS {
        let whole = fs::read(common::shipped(name)).unwrap();
        let step = whole.len() / 200 + 1;
        for length in (0..whole.len()).step_by(step) {
            survive(
                &folder,
                &format!("{name}, first {length} bytes"),
                &whole[..length],
            );
        }
    }
}

#[test]
fn changed_bytes() {
    let folder = tempfile::tempdir().unwrap();
    for name in MODELS {
        let whole = fs::read(common::shipped(name)).unwrap();
        for seed in 0..MUTANTS {
            let mut rng = SmallRng::seed_from_u64(seed);
            let mut data = whole.clone();
            // The structure is in few places, weights are most of the file.
            for _ in 0..rng.random_range(1..=8) {
                let place = rng.random_range(0..data.len());
                match rng.random_range(0..4) {
                    0 => data[place] = rng.random(),
                    1 => data[place] ^= 1 << rng.random_range(0..8),
                    2 => data.insert(place, rng.random()),
                    _ => drop(data.remove(place)),
                }
            }
            survive(&folder, &format!("{name}, seed {seed}"), &data);
        }
    }
}
