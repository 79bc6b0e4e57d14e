//! Programs on the host: every record, threads, staging, profiles, refusals.

mod common;

use common::{bytes, floats, kernel, load, manifest, port};
use sinter_model::{BufferRef, Extent, Manifest, Record, Symbol, Weights};
use sinter_runtime::{Error, KernelFn, Model, Options, Session};

/// Elements that one block of a test kernel handles.
const BLOCK: usize = 4;
const BLOCKS: usize = 37;
const N: usize = BLOCK * BLOCKS;

/// `y[i] = x[i] + w[i % 4]`, by way of the scratch memory.
unsafe extern "C" fn add(
    bufs: *const *mut u8,
    dims: *const i64,
    begin: u64,
    end: u64,
    scratch: *mut u8,
) {
    // SAFETY: The programs below give this kernel three buffers of matching sizes and one dim.
    unsafe {
        assert_eq!(*dims, BLOCK as i64);
        let (x, w, y) = (
            *bufs as *const f32,
            *bufs.add(1) as *const f32,
            *bufs.add(2) as *mut f32,
        );
        assert!(
            [x as usize, w as usize, y as usize, scratch as usize]
                .iter()
                .all(|p| p % 64 == 0)
        );
        let tile = scratch.cast::<f32>();
        for block in begin as usize..end as usize {
            for i in 0..BLOCK {
                *tile.add(i) = *x.add(block * BLOCK + i) + *w.add(i);
            }
            for i in 0..BLOCK {
                *y.add(block * BLOCK + i) = *tile.add(i);
            }
        }
    }
}

/// `y[i] = 2 * x[n - 1 - i]`: reads what other threads wrote.
unsafe extern "C" fn reverse(
    bufs: *const *mut u8,
    _: *const i64,
    begin: u64,
    end: u64,
    _: *mut u8,
) {
    // SAFETY: The programs below give this kernel two buffers of `N` elements.
    unsafe {
        let (x, y) = (*bufs as *const f32, *bufs.add(1) as *mut f32);
        for i in begin as usize * BLOCK..end as usize * BLOCK {
            *y.add(i) = 2.0 * *x.add(N - 1 - i);
        }
    }
}

fn launch(kernel: u32, args: Vec<BufferRef>) -> Record {
    let dims = vec![(BLOCK as i64).into()];
    Record::Launch {
        kernel,
        args,
        dims,
        blocks: (BLOCKS as i64).into(),
    }
}

fn arena(slot: u64) -> BufferRef {
    BufferRef::arena(slot * 1024, (N * 4) as u64)
}

fn kernels() -> Vec<KernelFn> {
    vec![add, reverse]
}

/// `y` is the sum of two chains with barriers between each step, `z` a weight.
fn chain() -> (Manifest, Weights) {
    let mut weights = Weights::new();
    let w = weights.push(&bytes(&[1.0, 2.0, 3.0, 4.0]));
    let x = BufferRef::Input(0);
    let mut serial = kernel("add_serial", 2, 1);
    serial.parallel = false;
    let program = vec![
        launch(0, vec![x.clone(), w.clone(), arena(0)]),
        launch(0, vec![x, w.clone(), arena(1)]),
        Record::Copy {
            source: w.clone(),
            destination: BufferRef::Output(1),
        },
        Record::Barrier,
        launch(1, vec![arena(0), arena(2)]),
        Record::Barrier,
        launch(2, vec![arena(2), w.clone(), arena(3)]),
        Record::Barrier,
        launch(2, vec![arena(3), w.clone(), arena(2)]),
        Record::Barrier,
        launch(1, vec![arena(2), arena(3)]),
        Record::Barrier,
        Record::Loop {
            count: 2.into(),
            body: vec![
                launch(0, vec![arena(3), w.clone(), arena(4)]),
                Record::Barrier,
                launch(1, vec![arena(4), arena(3)]),
            ],
        },
        launch(0, vec![arena(3), w, BufferRef::Output(0)]),
    ];
    let ports = (
        vec![port("x", N as i64)],
        vec![port("y", N as i64), port("z", 4)],
    );
    let kernels = vec![kernel("add", 2, 1), kernel("reverse", 1, 1), serial];
    (manifest(ports, kernels, program, vec![]), weights)
}

fn chain_model() -> Model {
    let (manifest, weights) = chain();
    load(&manifest, &weights, vec![add, reverse, add])
}

/// The chain, computed plainly.
fn chain_expected(x: &[f32]) -> Vec<f32> {
    let add = |x: Vec<f32>| -> Vec<f32> {
        x.iter()
            .enumerate()
            .map(|(i, x)| x + (i % 4 + 1) as f32)
            .collect()
    };
    let reverse = |x: Vec<f32>| -> Vec<f32> { x.iter().rev().map(|x| 2.0 * x).collect() };
    let mut v = reverse(add(x.to_vec()));
    v = reverse(add(add(v)));
    for _ in 0..2 {
        v = reverse(add(v));
    }
    add(v)
}

fn input() -> Vec<f32> {
    (0..N).map(|i| (i * i % 31) as f32 - 7.0).collect()
}

#[test]
fn results_do_not_depend_on_threads() {
    let model = chain_model();
    let expected = chain_expected(&input());
    for threads in [0, 1, 2, 3, 5] {
        let mut session = Session::new(&model, threads).unwrap();
        assert_eq!(session.threads(), threads.max(1));
        for _ in 0..50 {
            let (mut y, mut z) = (vec![0; N * 4], vec![0; 16]);
            session
                .run(&[&bytes(&input())], &mut [&mut y, &mut z])
                .unwrap();
            assert_eq!(floats(&y), expected, "{threads} threads");
            assert_eq!(floats(&z), [1.0, 2.0, 3.0, 4.0]);
        }
    }
}

#[test]
fn buffers_may_lie_anywhere() {
    let mut session = Session::new(&chain_model(), 2).unwrap();
    for shift in 0..3 {
        let mut x = vec![0; shift];
        x.extend(bytes(&input()));
        let (mut y, mut z) = (vec![0; N * 4 + shift], vec![0; 16]);
        session
            .run(&[&x[shift..]], &mut [&mut y[shift..], &mut z])
            .unwrap();
        assert_eq!(floats(&y[shift..]), chain_expected(&input()));
    }
}

#[test]
fn a_branch_reads_its_condition() {
    let pick = |to: u32| launch(to, vec![BufferRef::Input(0), BufferRef::Output(0)]);
    let program = vec![Record::If {
        condition: BufferRef::Input(1),
        then_body: vec![pick(0), Record::Barrier],
        else_body: vec![Record::Copy {
            source: BufferRef::Input(0),
            destination: BufferRef::Output(0),
        }],
    }];
    let ports = (
        vec![port("x", N as i64), port("c", 1)],
        vec![port("y", N as i64)],
    );
    let manifest = manifest(ports, vec![kernel("reverse", 1, 1)], program, vec![]);
    let model = load(&manifest, &Weights::new(), vec![reverse]);
    for threads in 1..3 {
        let mut session = Session::new(&model, threads).unwrap();
        let x = input();
        for condition in [[1, 0, 0, 0], [0, 1, 1, 1]] {
            let mut y = vec![0; N * 4];
            session
                .run(&[&bytes(&x), &condition], &mut [&mut y])
                .unwrap();
            let reversed: Vec<f32> = x.iter().rev().map(|x| 2.0 * x).collect();
            assert_eq!(
                floats(&y),
                if condition[0] != 0 {
                    reversed
                } else {
                    x.clone()
                }
            );
        }
    }
}

#[test]
fn symbols_size_buffers_and_grids() {
    let (mut manifest, weights) = chain();
    let n = |per: i64| Extent::symbol(0, per);
    manifest.symbols = vec![Symbol {
        name: "n".into(),
        min: 0,
        max: BLOCKS as i64,
    }];
    manifest.inputs[0].shape = vec![n(BLOCK as i64)];
    manifest.outputs[0].shape = vec![n(BLOCK as i64)];
    manifest.outputs.truncate(1);
    let w = BufferRef::Weights {
        offset: 0,
        bytes: 16,
    };
    manifest.program = vec![Record::Launch {
        kernel: 0,
        args: vec![BufferRef::Input(0), w, BufferRef::Output(0)],
        dims: vec![4.into()],
        blocks: n(1),
    }];
    let model = load(&manifest, &weights, vec![add, reverse, add]);
    let error = Session::new(&model, 1).err().unwrap();
    assert_eq!(
        error.to_string(),
        "the model needs values for its sizes: n in 0..=37"
    );
    for size in [0, 1, 5] {
        let options = Options {
            threads: 2,
            symbols: vec![size],
            ..Options::default()
        };
        let mut session = Session::with_options(&model, &options).unwrap();
        let elements = size as usize * BLOCK;
        assert_eq!(session.input_bytes(0), elements * 4);
        let mut y = vec![0; elements * 4];
        session
            .run(&[&bytes(&vec![0.5; elements])], &mut [&mut y])
            .unwrap();
        let expected: Vec<f32> = (0..elements).map(|i| 1.5 + (i % 4) as f32).collect();
        assert_eq!(floats(&y), expected);
    }
}

#[test]
fn a_profile_times_every_launch() {
    for threads in 1..3 {
        let mut session = Session::new(&chain_model(), threads).unwrap();
        let (mut y, mut z) = (vec![0; N * 4], vec![0; 16]);
        let profile = session
            .profile(&[&bytes(&input())], &mut [&mut y, &mut z], 5)
            .unwrap();
        assert_eq!(profile.runs, 5);
        let kernels: Vec<u32> = profile
            .launches
            .iter()
            .map(|launch| launch.kernel)
            .collect();
        assert_eq!(kernels, [0, 0, 1, 2, 2, 1, 0, 1, 0]);
        let sum: u64 = profile.launches.iter().map(|launch| launch.ns.min).sum();
        assert!(sum > 0 && sum <= profile.run_ns.median, "{profile:?}");
        assert_eq!(floats(&y), chain_expected(&input()));
        session
            .run(&[&bytes(&input())], &mut [&mut y, &mut z])
            .unwrap();
        assert_eq!(floats(&y), chain_expected(&input()));
    }
}

#[test]
fn wrong_buffers_are_refused() {
    let mut session = Session::new(&chain_model(), 1).unwrap();
    let (x, mut y, mut z) = (bytes(&input()), vec![0; N * 4], vec![0; 16]);
    let error = session.run(&[], &mut [&mut y, &mut z]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the model has 1 inputs, the run was given 0"
    );
    let error = session.run(&[&x[1..]], &mut [&mut y, &mut z]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "input `x` has 592 bytes, the run was given 591"
    );
    let error = session.run(&[&x], &mut [&mut y, &mut z[..8]]).unwrap_err();
    assert!(
        matches!(error, Error::Size { what: "output", .. }),
        "{error}"
    );
}

#[test]
fn missing_kernels_are_refused() {
    let (manifest, weights) = chain();
    let container = sinter_model::to_bytes(&manifest, b"not an object", weights.bytes()).unwrap();
    let open = || sinter_model::Container::from_bytes(&container).unwrap();
    let error = Model::from_container(open()).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("the model's kernels cannot be loaded"),
        "{error}"
    );
    // SAFETY: The kernels are never called.
    let error = unsafe { Model::with_kernels(open(), kernels()) }.unwrap_err();
    assert!(matches!(error, Error::Kernel { symbol } if symbol == "add_serial"));
}
