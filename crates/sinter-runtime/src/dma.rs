//! Transfers of scratchpad devices: the scratch words that a kernel is given, and two ways to carry
//! a transfer out.
//!
//! On a scratchpad device a kernel's `scratch` argument points to an array of 64-bit [words](WORDS):
//! the context, the functions `copy`, `wait` and `release`, and from word [`SPACE_BASE`] on the base
//! of each memory space, by the space's number. Each thread has spaces of its own, of exactly the
//! stated sizes, between guard bytes that are checked after each block.

use std::cell::UnsafeCell;

use sinter_model::Space;

use crate::error::{Error, Fault};
use crate::memory::Memory;

/// Number of scratch words.
pub const WORDS: usize = 64;
/// The first word that is the base of a memory space.
pub const SPACE_BASE: usize = 8;
/// Dimensions of a transfer descriptor.
pub const MAX_RANK: usize = 5;
/// Most transfers of one thread that may be under way at once.
pub const MAX_PENDING: usize = 256;

/// Bytes of guard on either side of a space. A multiple of every alignment that a device asks for.
const GUARD: usize = 4096;
/// What guards hold: not a number as `f16`, `bf16` and `f32`, and unlike [`POISON`].
const GUARD_BYTES: [u8; 2] = [0xa5, 0xff];
/// What memory holds that must not be read: not a number in every float type.
const POISON: u8 = 0xff;

/// How transfers are carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transfers {
    /// A copy is done when it is issued.
    #[default]
    Sequential,
    /// A copy is done as late as allowed, at its wait, from what its source holds then; its
    /// destination is poisoned when it is issued. Released tiles are poisoned, and so are all spaces
    /// before each block.
    Adversarial,
}

/// A strided copy, as kernels describe it. Leading dimensions that are not needed have extent 1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CopyDesc {
    /// First element of the destination.
    pub dst: *mut u8,
    /// First element of the source.
    pub src: *const u8,
    /// Bytes of one element.
    pub elem_bytes: i64,
    /// Number of dimensions that mean something, from the last one.
    pub rank: i64,
    /// Elements along each dimension, outermost first.
    pub extents: [i64; MAX_RANK],
    /// Bytes between elements of the destination.
    pub dst_strides: [i64; MAX_RANK],
    /// Bytes between elements of the source.
    pub src_strides: [i64; MAX_RANK],
    /// The engine that carries it out.
    pub engine: i64,
}

/// Type of the `copy` word.
pub type CopyFn = unsafe extern "C" fn(ctx: *mut u8, token: i64, desc: *const CopyDesc);
/// Type of the `wait` word.
pub type WaitFn = unsafe extern "C" fn(ctx: *mut u8, token: i64);
/// Type of the `release` word.
pub type ReleaseFn = unsafe extern "C" fn(ctx: *mut u8, tile: *mut u8, bytes: i64);

/// The on-chip memory of one thread, with its transfers.
pub(crate) struct Core {
    words: Box<[u64; WORDS]>,
    /// Kernels change it through the context word while `run` is under way, so that no reference
    /// to it may live across a call.
    context: Box<UnsafeCell<Context>>,
}

/// A range of memory that the current launch may touch.
#[derive(Clone, Copy)]
pub(crate) struct Region {
    pub(crate) start: *mut u8,
    pub(crate) bytes: usize,
    pub(crate) writable: bool,
}

struct SpaceMemory {
    name: String,
    memory: Memory,
    bytes: usize,
}

#[derive(Clone, Copy)]
struct Pending {
    token: i64,
    desc: CopyDesc,
}

struct Context {
    transfers: Transfers,
    spaces: Vec<SpaceMemory>,
    regions: Vec<Region>,
    pending: Vec<Pending>,
    fault: Option<Fault>,
}

impl Core {
    /// Maps the spaces; `max_args` is the largest number of buffers of any kernel.
    pub(crate) fn new(
        spaces: &[Space],
        transfers: Transfers,
        max_args: usize,
    ) -> Result<Self, Error> {
        let mut context = Context {
            transfers,
            spaces: Vec::with_capacity(spaces.len()),
            regions: Vec::with_capacity(max_args),
            pending: Vec::with_capacity(MAX_PENDING),
            fault: None,
        };
        let mut words = Box::new([0; WORDS]);
        for space in spaces {
            let memory = SpaceMemory::new(space)?;
            words[SPACE_BASE + space.index as usize] = memory.base() as u64;
            context.spaces.push(memory);
        }
        let context = Box::new(UnsafeCell::new(context));
        words[0] = context.get() as u64;
        words[1] = copy as CopyFn as usize as u64;
        words[2] = wait as WaitFn as usize as u64;
        words[3] = release as ReleaseFn as usize as u64;
        Ok(Self { words, context })
    }

    /// Runs one block: `call` is given the scratch words and calls the kernel.
    pub(crate) fn run(
        &mut self,
        regions: impl Iterator<Item = Region>,
        call: impl FnOnce(*mut u8),
    ) -> Result<(), Fault> {
        self.context.get_mut().begin(regions);
        call(self.words.as_mut_ptr().cast());
        self.context.get_mut().finish()
    }
}

// SAFETY: A core is used by one thread at a time; its raw pointers lead to memory that it owns, or
// to a launch's buffers while that launch runs.
unsafe impl Send for Core {}

impl SpaceMemory {
    fn new(space: &Space) -> Result<Self, Error> {
        let what = format!("memory space `{}`", space.name);
        let memory = Memory::new(space.bytes.saturating_add(2 * GUARD as u64), &what)?;
        let bytes = memory.bytes() - 2 * GUARD;
        let space = Self {
            name: space.name.clone(),
            memory,
            bytes,
        };
        for (start, length) in space.guards() {
            for i in 0..length {
                // SAFETY: The guards lie within the mapping, which nothing else uses yet.
                unsafe { start.add(i).write(GUARD_BYTES[i % 2]) };
            }
        }
        Ok(space)
    }

    fn base(&self) -> *mut u8 {
        self.memory.base().wrapping_add(GUARD)
    }

    fn guards(&self) -> [(*mut u8, usize); 2] {
        [
            (self.memory.base(), GUARD),
            (self.base().wrapping_add(self.bytes), GUARD),
        ]
    }

    fn intact(&self) -> bool {
        self.guards().iter().all(|&(start, length)| {
            // SAFETY: The guards lie within the mapping and only the current thread touches it.
            let guard = unsafe { std::slice::from_raw_parts(start, length) };
            guard.chunks_exact(2).all(|pair| pair == GUARD_BYTES)
        })
    }

    fn region(&self) -> Region {
        Region {
            start: self.base(),
            bytes: self.bytes,
            writable: true,
        }
    }
}

impl Context {
    fn begin(&mut self, regions: impl Iterator<Item = Region>) {
        self.regions.clear();
        self.regions.extend(regions);
        self.pending.clear();
        self.fault = None;
        if self.transfers == Transfers::Adversarial {
            for space in &self.spaces {
                // SAFETY: The space is mapped and only the current thread touches it.
                unsafe { space.base().write_bytes(POISON, space.bytes) };
            }
        }
    }

    fn finish(&mut self) -> Result<(), Fault> {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        if let Some(pending) = self.pending.first() {
            return Err(Fault::NotWaited {
                token: pending.token,
            });
        }
        match self.spaces.iter().find(|space| !space.intact()) {
            Some(space) => Err(Fault::Guard {
                space: space.name.clone(),
            }),
            None => Ok(()),
        }
    }

    fn copy(&mut self, token: i64, desc: CopyDesc) -> Result<(), Fault> {
        if self.pending.iter().any(|pending| pending.token == token) {
            return Err(Fault::Reissued { token });
        }
        if self.pending.len() >= MAX_PENDING {
            return Err(Fault::TooMany);
        }
        let (src, dst) = desc.spans().ok_or(Fault::Descriptor)?;
        if !self.reachable(desc.src.addr(), &src, false) {
            return Err(Fault::OutOfBounds {
                what: "a read",
                bytes: src.bytes(),
            });
        }
        if !self.reachable(desc.dst.addr(), &dst, true) {
            return Err(Fault::OutOfBounds {
                what: "a write",
                bytes: dst.bytes(),
            });
        }
        match self.transfers {
            // SAFETY: Source and destination were just found to lie in memory that the launch may
            // read and write.
            Transfers::Sequential => unsafe { desc.perform() },
            // SAFETY: As above for the destination.
            Transfers::Adversarial => unsafe { desc.poison() },
        }
        self.pending.push(Pending { token, desc });
        Ok(())
    }

    /// A negative token stands for no transfer: a loop that carries tokens ends with one.
    fn wait(&mut self, token: i64) -> Result<(), Fault> {
        if token < 0 {
            return Ok(());
        }
        let found = self
            .pending
            .iter()
            .position(|pending| pending.token == token);
        let pending = self
            .pending
            .remove(found.ok_or(Fault::NotIssued { token })?);
        if self.transfers == Transfers::Adversarial {
            // SAFETY: `copy` checked the descriptor against the regions of the same block.
            unsafe { pending.desc.perform() };
        }
        Ok(())
    }

    fn release(&self, tile: *mut u8, bytes: i64) -> Result<(), Fault> {
        let span = Span {
            low: 0,
            high: i128::from(bytes),
        };
        let within = self
            .spaces
            .iter()
            .any(|space| space.region().holds(tile.addr(), &span, true));
        if bytes < 0 || !within {
            return Err(Fault::OutOfBounds {
                what: "a release",
                bytes: span.bytes(),
            });
        }
        if self.transfers == Transfers::Adversarial {
            // SAFETY: The tile lies within a space, which only the current thread touches.
            unsafe { tile.write_bytes(POISON, bytes as usize) };
        }
        Ok(())
    }

    fn reachable(&self, address: usize, span: &Span, write: bool) -> bool {
        span.low == span.high
            || self
                .regions
                .iter()
                .any(|region| region.holds(address, span, write))
            || self
                .spaces
                .iter()
                .any(|space| space.region().holds(address, span, write))
    }
}

impl Region {
    fn holds(&self, address: usize, span: &Span, write: bool) -> bool {
        let start = self.start.addr() as i128;
        let (low, high) = (address as i128 + span.low, address as i128 + span.high);
        (self.writable || !write) && start <= low && high <= start + self.bytes as i128
    }
}

/// First and last byte of a strided box, relative to its first element; the end is exclusive.
struct Span {
    low: i128,
    high: i128,
}

impl Span {
    fn bytes(&self) -> u64 {
        u64::try_from(self.high - self.low).unwrap_or(u64::MAX)
    }
}

impl CopyDesc {
    /// Spans of source and destination; `None` when the descriptor makes no sense.
    fn spans(&self) -> Option<(Span, Span)> {
        let sane = self.elem_bytes >= 0
            && (0..=MAX_RANK as i64).contains(&self.rank)
            && self.extents.iter().all(|&extent| extent >= 0);
        sane.then(|| (self.span(&self.src_strides), self.span(&self.dst_strides)))
    }

    fn span(&self, strides: &[i64; MAX_RANK]) -> Span {
        if self.extents.contains(&0) {
            return Span { low: 0, high: 0 };
        }
        let mut span = Span {
            low: 0,
            high: i128::from(self.elem_bytes),
        };
        for (&extent, &stride) in self.extents.iter().zip(strides) {
            // Less than 2^126 each, and only five of them saturate far beyond any address.
            let reach = i128::from(extent - 1) * i128::from(stride);
            let end = if reach < 0 {
                &mut span.low
            } else {
                &mut span.high
            };
            *end = end.saturating_add(reach);
        }
        span
    }

    /// Copies row by row.
    ///
    /// # Safety
    ///
    /// Both spans are in mapped memory that nothing else writes, the destination's writable.
    unsafe fn perform(&self) {
        self.rows(|dst, src, bytes| {
            let (dst, src) = (self.dst.wrapping_offset(dst), self.src.wrapping_offset(src));
            // SAFETY: By the contract each row lies within its span. Rows may overlap.
            unsafe { std::ptr::copy(src, dst, bytes) };
        });
    }

    /// Poisons the destination.
    ///
    /// # Safety
    ///
    /// As for [`CopyDesc::perform`].
    unsafe fn poison(&self) {
        self.rows(|dst, _, bytes| {
            // SAFETY: By the contract each row lies within the destination's span.
            unsafe { self.dst.wrapping_offset(dst).write_bytes(POISON, bytes) };
        });
    }

    /// Calls `row` with offsets in destination and source and a number of bytes, for each run of
    /// bytes that is contiguous in both.
    fn rows(&self, mut row: impl FnMut(isize, isize, usize)) {
        let [a, b, c, d, e] = self.extents;
        let dense = [self.dst_strides[4], self.src_strides[4]] == [self.elem_bytes; 2];
        let (inner, bytes) = if dense {
            (e.min(1), e * self.elem_bytes)
        } else {
            (e, self.elem_bytes)
        };
        for a in 0..a {
            for b in 0..b {
                for c in 0..c {
                    for d in 0..d {
                        for e in 0..inner {
                            let at = |s: &[i64; 5]| {
                                (a * s[0] + b * s[1] + c * s[2] + d * s[3] + e * s[4]) as isize
                            };
                            row(at(&self.dst_strides), at(&self.src_strides), bytes as usize);
                        }
                    }
                }
            }
        }
    }
}

/// Runs an action on the context of a kernel's call, unless the block has failed already.
///
/// # Safety
///
/// `ctx` is the context word of a core whose `run` is under way on this thread.
unsafe fn with_context(ctx: *mut u8, action: impl FnOnce(&mut Context) -> Result<(), Fault>) {
    // SAFETY: By the contract the context is alive, and `run` holds no reference to it while the
    // kernel runs.
    let context = unsafe { &mut *ctx.cast::<Context>() };
    if context.fault.is_none()
        && let Err(fault) = action(context)
    {
        context.fault = Some(fault);
    }
}

// The three functions that kernels call. Nothing in them panics: a panic could not leave them.

unsafe extern "C" fn copy(ctx: *mut u8, token: i64, desc: *const CopyDesc) {
    // SAFETY: The kernel passes on its context word and a descriptor of its own.
    unsafe { with_context(ctx, |context| context.copy(token, *desc)) }
}

unsafe extern "C" fn wait(ctx: *mut u8, token: i64) {
    // SAFETY: The kernel passes on its context word.
    unsafe { with_context(ctx, |context| context.wait(token)) }
}

unsafe extern "C" fn release(ctx: *mut u8, tile: *mut u8, bytes: i64) {
    // SAFETY: The kernel passes on its context word.
    unsafe { with_context(ctx, |context| context.release(tile, bytes)) }
}
