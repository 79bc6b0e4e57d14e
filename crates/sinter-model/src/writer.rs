//! The writer: all or nothing, and the same bytes for the same input.

use std::io::{self, Write};
use std::path::Path;

use crate::BUFFER_ALIGN;
use crate::error::Error;
use crate::format::{self, ENTRY_BYTES, Entry, HEADER_BYTES, Section};
use crate::manifest::Manifest;
use crate::program::BufferRef;
use crate::validate;

/// Packs weights into one section, each aligned to [`BUFFER_ALIGN`].
#[derive(Clone, Debug, Default)]
pub struct Weights {
    bytes: Vec<u8>,
}

impl Weights {
    /// An empty section.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a weight and says how a program names it.
    pub fn push(&mut self, weight: &[u8]) -> BufferRef {
        let offset = self.bytes.len().next_multiple_of(BUFFER_ALIGN as usize);
        self.bytes.resize(offset, 0);
        self.bytes.extend_from_slice(weight);
        BufferRef::Weights {
            offset: offset as u64,
            bytes: weight.len() as u64,
        }
    }

    /// The section.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Writes a container to `path`, through a temporary file in the same folder that is renamed once
/// complete: a file of that name is never half written.
///
/// # Errors
///
/// [`Error::Invalid`] when the manifest would be refused by a reader, [`Error::Io`].
pub fn write(path: &Path, manifest: &Manifest, object: &[u8], weights: &[u8]) -> Result<(), Error> {
    let layout = Layout::new(manifest, object, weights)?;
    replace(path, |out| layout.write(out))
}

/// Writes the bytes of a container, as [`to_bytes`] gives them, to `path`, in the way of [`write()`].
///
/// # Errors
///
/// [`Error::Io`].
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    replace(path, |out| out.write_all(bytes))
}

/// The bytes of a container.
///
/// # Errors
///
/// [`Error::Invalid`] when the manifest would be refused by a reader.
pub fn to_bytes(manifest: &Manifest, object: &[u8], weights: &[u8]) -> Result<Vec<u8>, Error> {
    let layout = Layout::new(manifest, object, weights)?;
    let mut out = Vec::with_capacity(layout.file_bytes as usize);
    layout.write(&mut out).map_err(|source| Error::Io {
        action: "write",
        path: "memory".into(),
        source,
    })?;
    Ok(out)
}

struct Layout<'a> {
    manifest: Vec<u8>,
    object: &'a [u8],
    weights: &'a [u8],
    entries: Vec<Entry>,
    file_bytes: u64,
}

impl<'a> Layout<'a> {
    fn new(manifest: &Manifest, object: &'a [u8], weights: &'a [u8]) -> Result<Self, Error> {
        validate::manifest(manifest, weights.len() as u64)?;
        let manifest = serde_json::to_vec(manifest)
            .map_err(|error| Error::invalid(format!("its manifest is not JSON ({error})")))?;
        let mut layout = Self {
            manifest,
            object,
            weights,
            entries: Vec::new(),
            file_bytes: 0,
        };
        let mut at = (HEADER_BYTES + Section::ALL.len() * ENTRY_BYTES) as u64;
        for section in Section::ALL {
            let content = layout.content(section);
            let offset = at.next_multiple_of(section.align());
            let entry = Entry {
                section,
                crc: crc32fast::hash(content),
                offset,
                bytes: content.len() as u64,
            };
            at = offset + entry.bytes;
            layout.entries.push(entry);
        }
        layout.file_bytes = at;
        Ok(layout)
    }

    fn content(&self, section: Section) -> &[u8] {
        match section {
            Section::Manifest => &self.manifest,
            Section::Object => self.object,
            Section::Weights => self.weights,
        }
    }

    fn write(&self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        let head = format::encode(&self.entries, self.file_bytes);
        out.write_all(&head)?;
        let mut at = head.len() as u64;
        for entry in &self.entries {
            io::copy(&mut io::Read::take(io::repeat(0), entry.offset - at), out)?;
            out.write_all(self.content(entry.section))?;
            at = entry.offset + entry.bytes;
        }
        Ok(())
    }
}

/// Checks that a file can be written, without a trace of it.
///
/// # Errors
///
/// [`Error::Io`].
pub fn check_writable(path: &Path) -> Result<(), Error> {
    sinter_io::check_writable(path).map_err(|source| not_written(path, source))
}

fn replace(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    sinter_io::replace(path, content).map_err(|source| not_written(path, source))
}

fn not_written(path: &Path, source: io::Error) -> Error {
    Error::Io {
        action: "write",
        path: path.to_owned(),
        source,
    }
}
