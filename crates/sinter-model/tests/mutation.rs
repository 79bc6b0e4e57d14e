//! Seeded damage to containers: each is refused or harmless, none panics.

mod common;

use common::model;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use sinter_model::{Container, to_bytes};

const ROUNDS: usize = 4000;
const HEADER_BYTES: usize = 32;
const ENTRY_BYTES: usize = 32;

fn bytes() -> Vec<u8> {
    let (manifest, weights) = model();
    to_bytes(&manifest, b"object", weights.bytes()).unwrap()
}

fn damage(bytes: &mut Vec<u8>, rng: &mut SmallRng) {
    for _ in 0..rng.random_range(1..4) {
        let at = rng.random_range(0..bytes.len());
        match rng.random_range(0..4) {
            0 => bytes[at] ^= 1 << rng.random_range(0..8),
            1 => bytes[at] = rng.random(),
            2 => bytes.truncate(at.max(1)),
            _ => bytes.insert(at, rng.random()),
        }
    }
}

fn u64_at(bytes: &[u8], at: usize) -> usize {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize
}

/// Makes the checksums right again, as far as the table can be followed.
fn reseal(bytes: &mut [u8]) {
    if bytes.len() < HEADER_BYTES + 3 * ENTRY_BYTES {
        return;
    }
    for entry in 0..3 {
        let at = HEADER_BYTES + entry * ENTRY_BYTES;
        let (offset, length) = (u64_at(bytes, at + 8), u64_at(bytes, at + 16));
        let Some(section) = bytes.get(offset..offset.saturating_add(length)) else {
            continue;
        };
        let crc = crc32fast::hash(section);
        bytes[at + 4..at + 8].copy_from_slice(&crc.to_le_bytes());
    }
    bytes[24..28].fill(0);
    let head = HEADER_BYTES + 3 * ENTRY_BYTES;
    let crc = crc32fast::hash(&bytes[..head]);
    bytes[24..28].copy_from_slice(&crc.to_le_bytes());
}

#[test]
fn any_damage_is_noticed() {
    let whole = bytes();
    let mut rng = SmallRng::seed_from_u64(1);
    for _ in 0..ROUNDS {
        let mut bytes = whole.clone();
        damage(&mut bytes, &mut rng);
        // Padding between sections is the one thing that no checksum covers.
        if let Ok(container) = Container::from_bytes(&bytes) {
            assert_eq!(container.manifest(), &model().0);
            assert_eq!(container.weights(), model().1.bytes());
        }
    }
}

#[test]
fn damage_behind_right_checksums_never_panics() {
    let whole = bytes();
    let mut rng = SmallRng::seed_from_u64(2);
    let mut refused = 0;
    for _ in 0..ROUNDS {
        let mut bytes = whole.clone();
        // Header, table and manifest are where a reader takes decisions.
        let at = rng.random_range(8..whole.len().min(2600));
        bytes[at] = if rng.random() {
            rng.random()
        } else {
            bytes[at] ^ 1
        };
        reseal(&mut bytes);
        refused += usize::from(Container::from_bytes(&bytes).is_err());
    }
    assert!(
        refused > ROUNDS / 10,
        "only {refused} of {ROUNDS} were refused"
    );
}

#[test]
fn every_prefix_is_refused() {
    let whole = bytes();
    for end in 0..whole.len() {
        assert!(Container::from_bytes(&whole[..end]).is_err(), "{end} bytes");
    }
}
