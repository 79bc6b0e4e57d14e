//! Seeded random problems, judged by the independent check and by brute force.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use sinter_plan::{Buffer, Options, PlanError, check, generate, plan, plan_with};

const NO_LIMIT: u64 = u64::MAX;

/// Buffers of a random chain-like program: many relations, mixed alignments, some empty buffers.
fn problem(rng: &mut SmallRng) -> Vec<Buffer> {
    let count = rng.random_range(1..40);
    let grain = [1, 32, 64][rng.random_range(0..3)];
    let mut buffers: Vec<Buffer> = Vec::new();
    for i in 0..count {
        let id = 10 * i + 3;
        let first = rng.random_range(0..30);
        let end = first + rng.random_range(1..10);
        let bytes = rng.random_range(0..20) * rng.random_range(1..100);
        let mut buffer = Buffer::new(
            id,
            first..end,
            bytes,
            grain << (rng.random_range(0..10) / 9),
        );
        if i > 0 {
            let other = &buffers[rng.random_range(0..i)];
            match rng.random_range(0..4) {
                0 if other.bytes >= 128 => {
                    let offset = rng.random_range(0..other.bytes / 128) * 128;
                    buffer.bytes = buffer.bytes.min(other.bytes - offset);
                    buffer = buffer.inside(other.id, offset);
                }
                1 => {
                    buffer.first = other.end - 1;
                    buffer.end = buffer.first + rng.random_range(1..6);
                    if rng.random() {
                        buffer.bytes = other.bytes;
                    }
                    buffer = buffer.in_place_of(other.id);
                }
                _ => {}
            }
        }
        buffers.push(buffer);
    }
    buffers
}

#[test]
fn plans_of_random_problems_hold() {
    let mut rng = SmallRng::seed_from_u64(7);
    let (mut shared, mut at_bound) = (0, 0);
    for round in 0..200 {
        let buffers = problem(&mut rng);
        let plan = plan(&buffers, NO_LIMIT).unwrap_or_else(|e| panic!("round {round}: {e}"));
        check(&buffers, &plan).unwrap_or_else(|e| panic!("round {round}: {e}\n{buffers:?}"));
        assert!(plan.lower_bound <= plan.peak);
        shared += plan.in_place.len();
        at_bound += usize::from(plan.lower_bound == plan.peak);
        assert_eq!(
            plan,
            sinter_plan::plan(&buffers, NO_LIMIT).unwrap(),
            "the same every time"
        );
        // With exactly that much memory it fits, too.
        let tight = sinter_plan::plan(&buffers, plan.peak).unwrap();
        check(&buffers, &tight).unwrap();
    }
    assert!(shared > 50, "in-place reuse happens: {shared}");
    assert!(at_bound > 150, "most plans are proven best: {at_bound}");
}

/// The lowest peak over all orders of placing the buffers at their lowest free offset: the best there
/// is, for some order places the buffers of a best plan from below.
fn brute_force(buffers: &[Buffer], placed: &mut Vec<(usize, u64)>) -> u64 {
    if placed.len() == buffers.len() {
        return placed
            .iter()
            .map(|&(i, offset)| offset + buffers[i].bytes)
            .max()
            .unwrap_or(0);
    }
    let mut best = u64::MAX;
    for i in 0..buffers.len() {
        if placed.iter().any(|&(j, _)| i == j) {
            continue;
        }
        let meets =
            |j: usize| buffers[j].first < buffers[i].end && buffers[i].first < buffers[j].end;
        let floor = placed.iter().filter(|&&(j, _)| meets(j));
        let floor = floor
            .map(|&(j, offset)| offset + buffers[j].bytes)
            .max()
            .unwrap_or(0);
        placed.push((i, floor.next_multiple_of(buffers[i].align)));
        best = best.min(brute_force(buffers, placed));
        placed.pop();
    }
    best
}

/// A few buffers, each aligned to one of the first `alignments` powers of two from `grain`.
fn small(rng: &mut SmallRng, grain: u64, alignments: u32) -> Vec<Buffer> {
    let buffer = |id| {
        let first = rng.random_range(0..6);
        let steps = first..first + rng.random_range(1..5);
        let bytes = rng.random_range(1..12);
        Buffer::new(id, steps, bytes, grain << rng.random_range(0..alignments))
    };
    (0..7).map(buffer).collect()
}

#[test]
fn small_plans_are_as_low_as_brute_force() {
    let mut rng = SmallRng::seed_from_u64(11);
    for round in 0..150 {
        let buffers = small(&mut rng, 1 << (round % 3), 1);
        let best = brute_force(&buffers, &mut Vec::new());
        let plan =
            plan(&buffers, best).unwrap_or_else(|e| panic!("round {round}: {e} {buffers:?}"));
        check(&buffers, &plan).unwrap();
        assert_eq!(plan.peak, best, "round {round}: {buffers:?}");
        match sinter_plan::plan(&buffers, best - 1) {
            Err(PlanError::DoesNotFit { proven, needed, .. }) => {
                assert!(proven, "round {round}");
                assert!(needed >= best);
            }
            other => panic!("round {round}: {other:?}"),
        }
    }
}

#[test]
fn a_gap_above_the_bound_is_proven() {
    let blocks = [
        (5..8, 3),
        (0..3, 1),
        (3..4, 2),
        (4..8, 1),
        (2..8, 3),
        (1..2, 4),
        (1..4, 2),
        (4..5, 3),
        (0..1, 6),
    ];
    let buffers: Vec<Buffer> = (0..)
        .zip(blocks)
        .map(|(id, (t, n))| Buffer::new(id, t, n, 1))
        .collect();
    let best = plan(&buffers, NO_LIMIT).unwrap();
    check(&buffers, &best).unwrap();
    assert_eq!((best.lower_bound, best.peak), (7, 8));
    assert_eq!(brute_force(&buffers, &mut Vec::new()), 8);
    let refused = plan(&buffers, 7).unwrap_err();
    assert!(
        matches!(
            refused,
            PlanError::DoesNotFit {
                proven: true,
                needed: 8,
                ..
            }
        ),
        "{refused}"
    );
}

#[test]
fn mixed_alignments_are_nearly_as_low_and_proofs_hold() {
    let mut rng = SmallRng::seed_from_u64(13);
    let mut missed = 0;
    for round in 0..150 {
        let buffers = small(&mut rng, 1, 4);
        let best = brute_force(&buffers, &mut Vec::new());
        let free = plan(&buffers, NO_LIMIT).unwrap();
        check(&buffers, &free).unwrap();
        assert!(
            free.peak >= best && free.lower_bound <= best,
            "round {round}"
        );
        match plan(&buffers, best) {
            Ok(plan) => check(&buffers, &plan).unwrap(),
            Err(PlanError::DoesNotFit { proven, .. }) => {
                assert!(!proven, "round {round}: a false proof");
                missed += 1;
            }
            Err(other) => panic!("round {round}: {other}"),
        }
    }
    assert!(missed <= 1, "{missed} of 150 missed");
}

#[test]
fn perfect_tilings_are_found() {
    let mut missed = 0;
    for seed in 0..10 {
        let buffers = generate::tiling(seed, 60, 4096, 100);
        assert_eq!(buffers.len(), 60);
        assert_eq!(buffers, generate::tiling(seed, 60, 4096, 100));
        let plan = plan(&buffers, 4096).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        check(&buffers, &plan).unwrap();
        assert_eq!((plan.peak, plan.lower_bound), (4096, 4096));
        // Heuristics alone are not enough.
        let heuristics = Options {
            fit_nodes: 0,
            improve_nodes: 0,
            improve_blocks: 0,
        };
        missed += usize::from(plan_with(&buffers, 4096, &heuristics).is_err());
    }
    assert!(missed >= 8, "only {missed} of 10 are hard");
}

#[test]
fn a_large_problem_keeps_to_a_small_stack() {
    let buffers = generate::tiling(3, 3000, 1 << 30, 1 << 20);
    let search = std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(move || {
            let limits = Options {
                fit_nodes: 3_000,
                ..Options::default()
            };
            plan_with(&buffers, 1 << 30, &limits).is_ok()
        });
    // Found or not, within the limit it ends.
    search.unwrap().join().unwrap();
}
