//! Mapped memory: page-aligned, zeroed, not touched before it is used.

use std::sync::atomic::{AtomicUsize, Ordering};

use memmap2::MmapMut;

use crate::error::Error;

/// Zeroed memory, at least 64-byte aligned.
pub(crate) struct Memory {
    map: Option<MmapMut>,
    base: *mut u8,
    bytes: usize,
}

/// Mappings of this size and more ask for huge pages.
const HUGE_PAGE: usize = 2 << 20;
/// How far one mapping's memory starts behind its first page, more than another's. Streams that are whole
/// pages apart compete for the same places of caches and memory: a sum of two tensors of 256 MiB took 53 ms
/// on pages' starts and 28 ms apart.
const SKEW: usize = 17 * 64;
/// Mappings that start in different places.
const SKEWS: usize = 16;
/// Number of the next mapping.
static NEXT: AtomicUsize = AtomicUsize::new(0);

impl Memory {
    pub(crate) fn new(bytes: u64, what: &str) -> Result<Self, Error> {
        let resource = |source| Error::Resource {
            what: format!("{bytes} bytes for {what}"),
            source,
        };
        if bytes == 0 {
            return Ok(Self {
                map: None,
                base: std::ptr::without_provenance_mut(64),
                bytes: 0,
            });
        }
        let bytes =
            usize::try_from(bytes).map_err(|_| resource(std::io::ErrorKind::OutOfMemory.into()))?;
        let skew = SKEW * (NEXT.fetch_add(1, Ordering::Relaxed) % SKEWS);
        let all = bytes.checked_add(skew);
        let all = all.ok_or_else(|| resource(std::io::ErrorKind::OutOfMemory.into()))?;
        let mut map = MmapMut::map_anon(all).map_err(resource)?;
        #[cfg(target_os = "linux")]
        if bytes >= HUGE_PAGE {
            // Advice: a kernel without huge pages refuses it, and nothing is lost.
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        let base = map[skew..].as_mut_ptr();
        Ok(Self {
            map: Some(map),
            base,
            bytes,
        })
    }

    pub(crate) fn base(&self) -> *mut u8 {
        debug_assert!(self.map.is_some() || self.bytes == 0);
        self.base
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Zeroed memory for the inputs and outputs of a session, aligned so that [`Session::run`](crate::Session::run)
/// does not copy them.
pub struct Buffer(Memory);

impl Buffer {
    /// Memory of a size in bytes.
    ///
    /// # Errors
    ///
    /// [`Error::Resource`] when it cannot be had.
    pub fn new(bytes: usize) -> Result<Self, Error> {
        Memory::new(bytes as u64, "a buffer").map(Self)
    }
}

impl std::ops::Deref for Buffer {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        // SAFETY: The memory is there, initialised, and not written while the buffer is borrowed.
        unsafe { std::slice::from_raw_parts(self.0.base(), self.0.bytes()) }
    }
}

impl std::ops::DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: As above; the borrow is the only one.
        unsafe { std::slice::from_raw_parts_mut(self.0.base(), self.0.bytes()) }
    }
}

// SAFETY: `Memory` owns its mapping; the pointer is only an address. Whoever dereferences it answers
// for the absence of races.
unsafe impl Send for Memory {}
// SAFETY: As above; a shared reference gives nothing but the address.
unsafe impl Sync for Memory {}
