//! Grids of kernels with several stages.

use sinter_device::{Device, HostCpu, Refusal, schedule};
use sinter_loops::affine::Affine;
use sinter_loops::kernel::{Kernel, Role, Slot};
use sinter_loops::nest::{Access, Combine, CombineFn, Iter, Nest};
use sinter_loops::scalar::{BinaryFn, Body, FloatBits, Inst};
use sinter_loops::types::ElementType::F32;
use sinter_loops::types::TensorType;

fn d(i: usize) -> Affine {
    Affine::Iter(i)
}

fn host(cores: u32) -> Device {
    let host = Device::named("host").unwrap();
    host.with_host_cpu(HostCpu::AVX2).with_cores(cores)
}

fn slot(role: Role, shape: &[i64]) -> Slot {
    Slot::new(TensorType::f32(shape), role)
}

const COLUMNS: i64 = 64;

/// A convolution by a window of `window` rows and 3 columns.
fn convolution(from: usize, to: usize, rows: i64, channels: i64, window: i64) -> Nest {
    let at = |o: usize, k: usize, size: i64| d(o) + d(k) + Affine::Const(-(size / 2));
    Nest {
        iters: vec![
            Iter::parallel(rows),
            Iter::parallel(COLUMNS),
            Iter::parallel(channels),
            Iter::reduction(window),
            Iter::reduction(3),
            Iter::reduction(channels),
        ],
        reads: vec![
            Access::padded(from, vec![at(0, 3, window), at(1, 4, 3), d(5)], 0.0),
            Access::new(1, vec![d(3), d(4), d(5), d(2)]),
        ],
        body: Body {
            args: vec![F32, F32],
            insts: vec![Inst::Binary(BinaryFn::Mul, 0, 1)],
            results: vec![2],
        },
        combines: vec![Combine {
            function: CombineFn::Add,
            init: FloatBits::new(0.0),
        }],
        finish_reads: vec![],
        finish: Body::identity([F32]),
        writes: vec![Access::new(to, vec![d(0), d(1), d(2)])],
        contract: true,
        origins: vec![],
    }
}

/// Two convolutions in a row over an image of rows.
fn pair(rows: i64, channels: i64, window: i64) -> Kernel {
    Kernel {
        name: "pair".into(),
        slots: vec![
            slot(Role::Input, &[rows, COLUMNS, channels]),
            slot(Role::Constant, &[window, 3, channels, channels]),
            slot(Role::Output, &[rows, COLUMNS, channels]),
            slot(Role::Temporary, &[rows, COLUMNS, channels]),
        ],
        stages: vec![
            convolution(0, 3, rows, channels, window),
            convolution(3, 2, rows, channels, window),
        ],
        schedule: None,
    }
}

#[test]
fn blocks_overlap_where_that_is_cheaper_than_one_block() {
    let kernel = pair(64, 16, 3);
    let (chosen, price) = schedule(&kernel, &host(2)).unwrap();
    assert_eq!(chosen.grid[0].iters, [Some(0), Some(0)]);
    assert!(chosen.grid[0].tile < 64 && price.blocks >= 2);
    // A block holds its tile of the first result and one row on each side.
    let rows = chosen.grid[0].tile as u64 + 2;
    assert_eq!(price.chip_bytes, rows * 64 * 16 * 4);
}

#[test]
fn the_halo_is_in_the_price() {
    let work = |window| {
        let (chosen, price) = schedule(&pair(64, 16, window), &host(2)).unwrap();
        (price.vector.ns() / window as f64, chosen.grid[0].tile)
    };
    let ((narrow, _), (wide, tile)) = (work(3), work(15));
    // 14 rows more for each tile, in one of two stages.
    let repeated = 0.5 * 14.0 / tile as f64;
    assert!(
        tile < 64 && wide / narrow > 1.0 + 0.7 * repeated,
        "{narrow} {wide} {tile}"
    );
}

#[test]
fn a_scratchpad_device_has_no_overlapping_blocks() {
    let device = Device::named("ascend-910b").unwrap();
    let refusal = schedule(&pair(64, 16, 3), &device).unwrap_err();
    assert!(matches!(refusal, Refusal::Stages(_)), "{refusal}");
}

#[test]
fn cores_share_the_work_evenly() {
    for rows in [7, 49, 196, 197] {
        let kernel = pair(rows, 96, 1);
        let vector = |cores| schedule(&kernel, &host(cores)).unwrap().1.vector.ns();
        let share = vector(2) / vector(1);
        let least = (rows + 1) / 2;
        assert!(
            share <= 1.15 * least as f64 / rows as f64,
            "{rows}: {share}"
        );
    }
}

/// Rows less their greatest element: two stages, of which both read the rows.
fn less_the_greatest(rows: i64, columns: i64) -> Kernel {
    let row = |slot| Access::new(slot, vec![d(0), d(1)]);
    let mut greatest = Nest::map(
        vec![Iter::parallel(rows), Iter::reduction(columns)],
        vec![row(0)],
        Body::identity([F32]),
        vec![Access::new(1, vec![d(0)])],
    );
    greatest.combines = vec![Combine {
        function: CombineFn::Max,
        init: FloatBits::new(f64::NEG_INFINITY),
    }];
    greatest.finish = Body::identity([F32]);
    let less = Nest::map(
        vec![Iter::parallel(rows), Iter::parallel(columns)],
        vec![row(0), Access::new(1, vec![d(0)])],
        Body {
            args: vec![F32, F32],
            insts: vec![Inst::Binary(BinaryFn::Sub, 0, 1)],
            results: vec![2],
        },
        vec![row(2)],
    );
    Kernel {
        slots: vec![
            slot(Role::Input, &[rows, columns]),
            slot(Role::Temporary, &[rows]),
            slot(Role::Output, &[rows, columns]),
        ],
        stages: vec![greatest, less],
        ..pair(1, 1, 1)
    }
}

#[test]
fn long_rows_that_are_read_again_get_blocks_that_the_first_cache_holds() {
    for cores in [1, 2] {
        let device = host(cores);
        let (chosen, price) = schedule(&less_the_greatest(16384, 2048), &device).unwrap();
        let nearest = device.space("gm").unwrap().levels[0].footprint_bytes;
        assert!((price.read_bytes + price.written_bytes) / price.blocks <= nearest);
        // A row or two at a time: independent sums come from several vectors.
        let tile = &chosen.stages[0];
        assert!(tile.vectors * tile.row_tile >= 4, "{chosen:?}");
    }
    // Short rows: as many at a time as registers hold.
    let (chosen, _) = schedule(&less_the_greatest(4096, 32), &host(1)).unwrap();
    assert!(chosen.stages[0].row_tile >= 8, "{chosen:?}");
}
