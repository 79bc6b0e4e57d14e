//! Scratchpad devices: what sequential and adversarial transfers let through, and what they catch.

mod common;

use std::ffi::c_void;

use common::{bytes, floats, kernel, load, manifest, port};
use sinter_model::{BufferRef, Record, Space, Weights};
use sinter_runtime::dma::{CopyDesc, CopyFn, ReleaseFn, SPACE_BASE, WaitFn};
use sinter_runtime::{Error, Fault, KernelFn, Options, Session, Transfers};

const TILE: usize = 8;
const BLOCKS: usize = 6;
const N: usize = TILE * BLOCKS;
const UB: usize = 5;
const UB_BYTES: usize = 2 * TILE * 4;

/// The scratch words as a kernel sees them.
struct Words(*const u64);

impl Words {
    unsafe fn word(&self, i: usize) -> u64 {
        // SAFETY: The runtime gives 64 words.
        unsafe { *self.0.add(i) }
    }

    unsafe fn tile(&self, i: usize) -> *mut f32 {
        // SAFETY: As above; both tiles lie within the space.
        unsafe { (self.word(SPACE_BASE + UB) as *mut f32).add(i * TILE) }
    }

    unsafe fn copy(&self, token: i64, dst: *mut f32, src: *const f32, elements: i64) {
        let desc = CopyDesc {
            dst: dst.cast(),
            src: src.cast(),
            elem_bytes: 4,
            rank: 1,
            extents: [1, 1, 1, 1, elements],
            dst_strides: [0, 0, 0, 0, 4],
            src_strides: [0, 0, 0, 0, 4],
            engine: 0,
        };
        // SAFETY: Words 0 and 1 are the context and the function of this type.
        unsafe {
            let copy = std::mem::transmute::<*const c_void, CopyFn>(self.word(1) as *const c_void);
            copy(self.word(0) as *mut u8, token, &raw const desc);
        }
    }

    unsafe fn wait(&self, token: i64) {
        // SAFETY: Words 0 and 2 are the context and the function of this type.
        unsafe {
            let wait = std::mem::transmute::<*const c_void, WaitFn>(self.word(2) as *const c_void);
            wait(self.word(0) as *mut u8, token);
        }
    }

    unsafe fn release(&self, tile: *mut f32, bytes: i64) {
        // SAFETY: Words 0 and 3 are the context and the function of this type.
        unsafe {
            let release =
                std::mem::transmute::<*const c_void, ReleaseFn>(self.word(3) as *const c_void);
            release(self.word(0) as *mut u8, tile.cast(), bytes);
        }
    }
}

/// What a variant of the kernel leaves out or does wrong.
const GOOD: u32 = 0;
const NO_WAIT_IN: u32 = 1;
const LATE_WAIT_IN: u32 = 2;
const NO_WAIT_OUT: u32 = 3;
const EARLY_RELEASE: u32 = 4;
const OVERWRITE: u32 = 5;
const WILD_WAIT: u32 = 6;
const REUSED_TOKEN: u32 = 7;
const OUTSIDE: u32 = 8;
const GUARD: u32 = 9;
const WRITE_INPUT: u32 = 10;
const BAD_RELEASE: u32 = 11;
const UNWRITTEN: u32 = 12;

/// `y = 2 * x + 1`, a tile at a time: copy in, compute, copy out.
unsafe extern "C" fn double<const WRONG: u32>(
    bufs: *const *mut u8,
    _: *const i64,
    begin: u64,
    end: u64,
    scratch: *mut u8,
) {
    let words = Words(scratch as *const u64);
    // SAFETY: The program below gives two buffers of `N` elements; what goes wrong on purpose goes
    // through the runtime's checks or stays within its guards.
    unsafe {
        for block in begin as usize..end as usize {
            let x = (*bufs as *const f32).add(block * TILE);
            let y = (*bufs.add(1) as *mut f32).add(block * TILE);
            let (a, b) = (words.tile(0), words.tile(1));
            let tile = TILE as i64;
            words.copy(1, a, x, if WRONG == OUTSIDE { N as i64 + 1 } else { tile });
            if WRONG != NO_WAIT_IN && WRONG != LATE_WAIT_IN {
                words.wait(if WRONG == WILD_WAIT { 9 } else { 1 });
            }
            for i in 0..TILE - usize::from(WRONG == UNWRITTEN) {
                *b.add(i) = 2.0 * *a.add(i) + 1.0;
            }
            if WRONG == LATE_WAIT_IN {
                words.wait(1);
            }
            if WRONG == GUARD {
                *b.add(TILE) = 1.0;
            }
            words.release(a, if WRONG == BAD_RELEASE { 1000 } else { tile * 4 });
            let to = if WRONG == WRITE_INPUT {
                x.cast_mut()
            } else {
                y
            };
            words.copy(2, to, b, tile);
            if WRONG == REUSED_TOKEN {
                words.copy(2, y, b, tile);
            }
            if WRONG == EARLY_RELEASE {
                words.release(b, tile * 4);
            }
            if WRONG == OVERWRITE {
                *b = 100.0;
            }
            if WRONG != NO_WAIT_OUT {
                words.wait(2);
            }
        }
    }
}

fn input() -> Vec<f32> {
    (0..N).map(|i| i as f32 - 20.0).collect()
}

fn expected() -> Vec<f32> {
    input().iter().map(|x| 2.0 * x + 1.0).collect()
}

fn run(function: KernelFn, transfers: Transfers, threads: usize) -> Result<Vec<f32>, Error> {
    let args = vec![BufferRef::Input(0), BufferRef::Output(0)];
    let blocks = (BLOCKS as i64).into();
    let program = vec![Record::Launch {
        kernel: 0,
        args,
        dims: vec![],
        blocks,
    }];
    let ports = (vec![port("x", N as i64)], vec![port("y", N as i64)]);
    let spaces = vec![
        Space {
            name: "l1".into(),
            index: 1,
            bytes: 4096,
        },
        Space {
            name: "ub".into(),
            index: UB as u32,
            bytes: UB_BYTES as u64,
        },
    ];
    let manifest = manifest(ports, vec![kernel("double", 1, 1)], program, spaces);
    let model = load(&manifest, &Weights::new(), vec![function]);
    let options = Options {
        threads,
        transfers,
        ..Options::default()
    };
    let mut session = Session::with_options(&model, &options)?;
    let mut y = vec![0; N * 4];
    session.run(&[&bytes(&input())], &mut [&mut y])?;
    Ok(floats(&y))
}

fn fault(function: KernelFn, transfers: Transfers) -> Fault {
    match run(function, transfers, 2) {
        Err(Error::Fault {
            kernel,
            launch: 0,
            block: 0,
            origins,
            fault,
        }) => {
            assert_eq!(
                (kernel.as_str(), origins.as_str()),
                ("double", "node/double")
            );
            fault
        }
        other => panic!("not caught at the first block: {other:?}"),
    }
}

const BOTH: [Transfers; 2] = [Transfers::Sequential, Transfers::Adversarial];

#[test]
fn a_correct_kernel_gives_the_same_in_both_modes() {
    for transfers in BOTH {
        for threads in 1..4 {
            assert_eq!(run(double::<GOOD>, transfers, threads).unwrap(), expected());
        }
    }
}

#[test]
fn a_missing_wait_is_caught_in_both_modes() {
    for transfers in BOTH {
        assert_eq!(
            fault(double::<NO_WAIT_IN>, transfers),
            Fault::NotWaited { token: 1 }
        );
        assert_eq!(
            fault(double::<NO_WAIT_OUT>, transfers),
            Fault::NotWaited { token: 2 }
        );
    }
}

#[test]
fn broken_rules_are_caught_in_both_modes() {
    for transfers in BOTH {
        assert_eq!(
            fault(double::<WILD_WAIT>, transfers),
            Fault::NotIssued { token: 9 }
        );
        assert_eq!(
            fault(double::<REUSED_TOKEN>, transfers),
            Fault::Reissued { token: 2 }
        );
        let bytes = (N as u64 + 1) * 4;
        let read = Fault::OutOfBounds {
            what: "a read",
            bytes,
        };
        assert_eq!(fault(double::<OUTSIDE>, transfers), read);
        let write = Fault::OutOfBounds {
            what: "a write",
            bytes: TILE as u64 * 4,
        };
        assert_eq!(fault(double::<WRITE_INPUT>, transfers), write);
        let release = Fault::OutOfBounds {
            what: "a release",
            bytes: 1000,
        };
        assert_eq!(fault(double::<BAD_RELEASE>, transfers), release);
        assert_eq!(
            fault(double::<GUARD>, transfers),
            Fault::Guard { space: "ub".into() }
        );
    }
}

#[test]
fn races_show_only_in_the_adversarial_mode() {
    let racy: [KernelFn; 4] = [
        double::<LATE_WAIT_IN>,
        double::<EARLY_RELEASE>,
        double::<OVERWRITE>,
        double::<UNWRITTEN>,
    ];
    for (i, function) in racy.into_iter().enumerate() {
        let adversarial = run(function, Transfers::Adversarial, 2).unwrap();
        assert_ne!(adversarial, expected(), "kernel {i}");
    }
    for function in &racy[..3] {
        assert_eq!(
            run(*function, Transfers::Sequential, 2).unwrap(),
            expected()
        );
    }
}

#[test]
fn strided_transfers_move_what_they_say() {
    /// Transposes a 2 x 3 matrix, padding nothing, with a negative stride on the way back.
    unsafe extern "C" fn transpose(
        bufs: *const *mut u8,
        _: *const i64,
        _: u64,
        _: u64,
        scratch: *mut u8,
    ) {
        let words = Words(scratch as *const u64);
        // SAFETY: The program below gives two buffers of six elements.
        unsafe {
            let copy = std::mem::transmute::<*const c_void, CopyFn>(words.word(1) as *const c_void);
            let (x, y, tile) = (*bufs, *bufs.add(1), words.tile(0).cast::<u8>());
            let mut desc = CopyDesc {
                dst: tile,
                src: x,
                elem_bytes: 4,
                rank: 2,
                extents: [1, 1, 1, 2, 3],
                dst_strides: [0, 0, 0, 4, 8],
                src_strides: [0, 0, 0, 12, 4],
                engine: 1,
            };
            copy(words.word(0) as *mut u8, 1, &raw const desc);
            words.wait(1);
            desc.dst = y.add(20);
            desc.src = tile;
            desc.extents = [1, 1, 1, 1, 6];
            desc.dst_strides = [0, 0, 0, 0, -4];
            desc.src_strides = [0, 0, 0, 0, 4];
            copy(words.word(0) as *mut u8, 1, &raw const desc);
            words.wait(1);
        }
    }
    let args = vec![BufferRef::Input(0), BufferRef::Output(0)];
    let program = vec![Record::Launch {
        kernel: 0,
        args,
        dims: vec![],
        blocks: 1.into(),
    }];
    let ports = (vec![port("x", 6)], vec![port("y", 6)]);
    let spaces = vec![Space {
        name: "ub".into(),
        index: UB as u32,
        bytes: 24,
    }];
    let manifest = manifest(ports, vec![kernel("transpose", 1, 1)], program, spaces);
    let model = load(&manifest, &Weights::new(), vec![transpose]);
    for transfers in BOTH {
        let options = Options {
            transfers,
            ..Options::default()
        };
        let mut session = Session::with_options(&model, &options).unwrap();
        let mut y = vec![0; 24];
        session
            .run(&[&bytes(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])], &mut [&mut y])
            .unwrap();
        assert_eq!(floats(&y), [6.0, 3.0, 5.0, 2.0, 4.0, 1.0]);
    }
}
