//! Mapped memory: page-aligned, zeroed, not touched before it is used.

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
        let mut map = MmapMut::map_anon(bytes).map_err(resource)?;
        #[cfg(target_os = "linux")]
        if bytes >= HUGE_PAGE {
            // Advice: a kernel without huge pages refuses it, and nothing is lost.
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        let base = map.as_mut_ptr();
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

// SAFETY: `Memory` owns its mapping; the pointer is only an address. Whoever dereferences it answers
// for the absence of races.
unsafe impl Send for Memory {}
// SAFETY: As above; a shared reference gives nothing but the address.
unsafe impl Sync for Memory {}
