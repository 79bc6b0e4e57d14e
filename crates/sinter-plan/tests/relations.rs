//! Relations, refusals, and plans that the check must not accept.

use sinter_plan::{Buffer, Plan, PlanError, Violation, check, plan};

const CAPACITY: u64 = 1 << 20;

fn solved(buffers: &[Buffer]) -> Plan {
    let plan = plan(buffers, CAPACITY).unwrap();
    check(buffers, &plan).unwrap();
    plan
}

#[test]
fn parts_keep_their_whole_alive() {
    let buffers = [
        Buffer::new(0, 4..6, 256, 64),
        Buffer::new(1, 0..2, 128, 64).inside(0, 0),
        Buffer::new(2, 1..3, 128, 64).inside(0, 128),
        Buffer::new(3, 2..4, 64, 64).inside(2, 64),
        Buffer::new(4, 3..5, 100, 64),
    ];
    let plan = solved(&buffers);
    assert_eq!(plan.offsets, [0, 0, 128, 192, 256]);
    assert_eq!(plan.peak, 356);
}

#[test]
fn memory_is_taken_over_in_chains() {
    let chain: Vec<Buffer> = (0..5)
        .map(|i| {
            let buffer = Buffer::new(i as usize, i..i + 2, 100, 4);
            if i > 0 {
                buffer.in_place_of(i as usize - 1)
            } else {
                buffer
            }
        })
        .collect();
    let plan = solved(&chain);
    assert_eq!(plan.peak, 100);
    assert_eq!(plan.in_place, [(1, 0), (2, 1), (3, 2), (4, 3)]);
}

#[test]
fn memory_still_in_use_is_not_taken_over() {
    let buffers = [
        Buffer::new(0, 0..4, 100, 4),
        Buffer::new(1, 1..3, 100, 4).in_place_of(0),
        Buffer::new(2, 3..5, 200, 4).in_place_of(0),
        Buffer::new(3, 3..4, 100, 4).inside(0, 0),
        Buffer::new(4, 4..6, 200, 4).in_place_of(2),
    ];
    let plan = solved(&buffers);
    assert_eq!(plan.in_place, [(4, 2)]);
    assert_eq!(plan.peak, 300);
}

#[test]
fn a_smaller_heir_is_taken_only_where_it_pays() {
    // Taking over would keep 1000 bytes for the sake of 10 while 995 more are needed.
    let buffers = [
        Buffer::new(0, 0..2, 1000, 1),
        Buffer::new(1, 1..9, 10, 1).in_place_of(0),
        Buffer::new(2, 3..5, 995, 1),
    ];
    let plan = solved(&buffers);
    assert_eq!(plan.in_place, []);
    assert_eq!(plan.peak, 1010);
}

#[test]
fn ill_formed_problems_are_refused() {
    let b = |id| Buffer::new(id, 0..2, 64, 64);
    let refusal = |buffers: &[Buffer]| plan(buffers, CAPACITY).unwrap_err();
    assert_eq!(refusal(&[b(1), b(1)]), PlanError::DuplicateId { id: 1 });
    assert_eq!(
        refusal(&[b(1).inside(2, 0)]),
        PlanError::UnknownId { id: 1, other: 2 }
    );
    assert_eq!(
        refusal(&[b(1).in_place_of(2)]),
        PlanError::UnknownId { id: 1, other: 2 }
    );
    assert_eq!(
        refusal(&[Buffer::new(1, 2..2, 1, 1)]),
        PlanError::EmptyLifetime { id: 1 }
    );
    assert_eq!(
        refusal(&[Buffer::new(1, 0..2, 1, 3)]),
        PlanError::Misaligned { id: 1, align: 3 }
    );
    assert_eq!(
        refusal(&[b(0), b(1).inside(0, 1)]),
        PlanError::Outside { id: 1, of: 0 }
    );
    let half = Buffer::new(1, 0..1, 32, 64).inside(0, 32);
    assert_eq!(
        refusal(&[b(0), half]),
        PlanError::Misaligned { id: 1, align: 64 }
    );
    let cycle = refusal(&[b(0).inside(1, 0), b(1).inside(0, 0)]);
    assert!(matches!(cycle, PlanError::Cycle { id: 0 | 1 }), "{cycle}");
    let huge = |id| Buffer::new(id, 0..1, 1 << 62, 1);
    assert_eq!(refusal(&[huge(0), huge(1)]), PlanError::TooLarge);
}

#[test]
fn what_does_not_fit_is_named() {
    let buffers = [
        Buffer::new(7, 0..5, 600, 1),
        Buffer::new(8, 3..4, 500, 1),
        Buffer::new(9, 5..6, 900, 1),
    ];
    let error = plan(&buffers, 1000).unwrap_err();
    assert_eq!(
        error,
        PlanError::DoesNotFit {
            capacity: 1000,
            needed: 1100,
            proven: true,
            step: 3,
            live_bytes: 1100,
            live: vec![7, 8],
        }
    );
    assert_eq!(
        error.to_string(),
        "the buffers need 1100 bytes, 1000 are there; 1100 bytes are live at step 3: 7, 8"
    );
}

#[test]
fn nothing_needs_nothing() {
    assert_eq!(plan(&[], 0).unwrap(), Plan::default());
    assert_eq!(plan(&[Buffer::new(0, 0..1, 0, 64)], 0).unwrap().peak, 0);
}

#[test]
fn the_check_refuses_wrong_plans() {
    let buffers = [
        Buffer::new(0, 0..2, 64, 64),
        Buffer::new(1, 1..3, 64, 64).in_place_of(0),
        Buffer::new(2, 1..3, 64, 64),
        Buffer::new(3, 1..2, 32, 32).inside(2, 32),
    ];
    let judge = |offsets: [u64; 4], peak: u64, in_place: &[(usize, usize)]| {
        let offsets = offsets.to_vec();
        check(
            &buffers,
            &Plan {
                offsets,
                peak,
                lower_bound: 0,
                in_place: in_place.to_vec(),
            },
        )
    };
    assert_eq!(judge([0, 0, 64, 96], 128, &[(1, 0)]), Ok(()));
    assert_eq!(judge([0, 64, 128, 160], 192, &[]), Ok(()));
    let refused = |offsets, peak, in_place| judge(offsets, peak, in_place).unwrap_err();
    assert_eq!(
        refused([0, 0, 64, 96], 128, &[]),
        Violation::Overlap {
            first: 0,
            second: 1
        }
    );
    assert_eq!(
        refused([0, 64, 64, 96], 128, &[]),
        Violation::Overlap {
            first: 1,
            second: 2
        }
    );
    assert_eq!(
        refused([0, 32, 64, 96], 128, &[]),
        Violation::Alignment {
            id: 1,
            offset: 32,
            align: 64
        }
    );
    assert_eq!(
        refused([0, 0, 64, 96], 127, &[(1, 0)]),
        Violation::AbovePeak { id: 2, peak: 127 }
    );
    assert_eq!(
        refused([0, 0, 64, 64], 128, &[(1, 0)]),
        Violation::Displaced { id: 3, of: 2 }
    );
    assert_eq!(
        refused([0, 64, 0, 32], 128, &[(2, 0)]),
        Violation::Takeover { new: 2, old: 0 }
    );
    assert_eq!(
        refused([0, 64, 64, 96], 128, &[(1, 0)]),
        Violation::Takeover { new: 1, old: 0 }
    );
    let short = Plan {
        offsets: vec![0],
        ..Plan::default()
    };
    assert_eq!(
        check(&buffers, &short),
        Err(Violation::Count {
            offsets: 1,
            buffers: 4
        })
    );
}

#[test]
fn instances_parse() {
    let buffers = sinter_plan::instance::parse("id,lower,upper,size\n4,1,3,100\n\n").unwrap();
    assert_eq!(buffers, [Buffer::new(4, 1..3, 100, 1)]);
    let error = sinter_plan::instance::parse("id,lower,upper,size\n4,1,3\n").unwrap_err();
    assert_eq!(error.to_string(), "line 2 is not `id,lower,upper,size`");
}
