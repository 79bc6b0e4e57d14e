//! The reader: maps a file and checks all of it before anything is trusted.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;

use memmap2::{Mmap, MmapMut};

use crate::error::Error;
use crate::format;
use crate::manifest::Manifest;
use crate::validate;

/// A container whose header, checksums and manifest were checked.
#[derive(Debug)]
pub struct Container {
    map: Mmap,
    manifest: Manifest,
    object: Range<usize>,
    weights: Range<usize>,
}

impl Container {
    /// Maps and checks a file.
    ///
    /// The file must not be changed in place while the container lives (the writer never does so, it
    /// renames a new file over an old one).
    ///
    /// # Errors
    ///
    /// [`Error`] says what is wrong with the file and what to do.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let io = |action| {
            move |source| Error::Io {
                action,
                path: path.to_owned(),
                source,
            }
        };
        sinter_io::regular(path).map_err(io("open"))?;
        let file = File::open(path).map_err(io("open"))?;
        if file.metadata().map_err(io("open"))?.len() == 0 {
            return Err(Error::NotAModel);
        }
        // SAFETY: The mapping is private and read-only. Its bytes could still change, or vanish with
        // a fault, if another process wrote to or truncated the file in place; the documentation
        // forbids it, no writer of this format does it, and no safe alternative maps a file.
        let map = unsafe { Mmap::map(&file) }.map_err(io("map"))?;
        Self::from_map(map)
    }

    /// Checks a container in memory and keeps a copy of it.
    ///
    /// # Errors
    ///
    /// As [`Container::open`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        if bytes.is_empty() {
            return Err(Error::NotAModel);
        }
        let io = |source: io::Error| Error::Io {
            action: "map",
            path: "memory".into(),
            source,
        };
        let mut map = MmapMut::map_anon(bytes.len()).map_err(io)?;
        map.copy_from_slice(bytes);
        Self::from_map(map.make_read_only().map_err(io)?)
    }

    fn from_map(map: Mmap) -> Result<Self, Error> {
        let [manifest, object, weights] = format::decode(&map)?;
        let manifest: Manifest = serde_json::from_slice(&map[manifest])
            .map_err(|error| Error::invalid(format!("its manifest does not parse ({error})")))?;
        validate::manifest(&manifest, weights.len() as u64)?;
        Ok(Self {
            map,
            manifest,
            object,
            weights,
        })
    }

    /// The manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The shared object.
    pub fn object(&self) -> &[u8] {
        &self.map[self.object.clone()]
    }

    /// The weights section; page-aligned in memory.
    pub fn weights(&self) -> &[u8] {
        &self.map[self.weights.clone()]
    }
}
