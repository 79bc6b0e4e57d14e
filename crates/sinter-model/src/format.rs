//! The bytes of the header and the section table, all little-endian.

use std::ops::Range;

use crate::error::Error;
use crate::{BUFFER_ALIGN, FORMAT_VERSION};

pub(crate) const MAGIC: [u8; 8] = *b"SINTERMD";
pub(crate) const HEADER_BYTES: usize = 32;
pub(crate) const ENTRY_BYTES: usize = 32;
/// Alignment of the weights section, so that it can be mapped by itself.
pub(crate) const WEIGHTS_ALIGN: u64 = 4096;
/// Where the header keeps the checksum of header and table.
pub(crate) const HEADER_CRC: Range<usize> = 24..28;
/// Far more than any version needs; bounds what a reader looks at.
const MAX_SECTIONS: u32 = 64;

/// A section of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Manifest = 1,
    Object = 2,
    Weights = 3,
}

impl Section {
    pub(crate) const ALL: [Self; 3] = [Self::Manifest, Self::Object, Self::Weights];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Manifest => "manifest",
            Self::Object => "shared object",
            Self::Weights => "weights",
        }
    }

    pub(crate) fn align(self) -> u64 {
        match self {
            Self::Manifest | Self::Object => BUFFER_ALIGN,
            Self::Weights => WEIGHTS_ALIGN,
        }
    }
}

/// One row of the section table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) section: Section,
    pub(crate) crc: u32,
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
}

/// Header and table, checksum filled in.
pub(crate) fn encode(entries: &[Entry], file_bytes: u64) -> Vec<u8> {
    let mut out = Vec::with_capacity(HEADER_BYTES + entries.len() * ENTRY_BYTES);
    out.extend(MAGIC);
    out.extend(FORMAT_VERSION.to_le_bytes());
    out.extend((entries.len() as u32).to_le_bytes());
    out.extend(file_bytes.to_le_bytes());
    out.extend([0; 8]);
    for entry in entries {
        out.extend((entry.section as u32).to_le_bytes());
        out.extend(entry.crc.to_le_bytes());
        out.extend(entry.offset.to_le_bytes());
        out.extend(entry.bytes.to_le_bytes());
        out.extend([0; 8]);
    }
    let crc = crc32fast::hash(&out);
    out[HEADER_CRC].copy_from_slice(&crc.to_le_bytes());
    out
}

/// The byte ranges of manifest, object and weights, after all their bounds and checksums were
/// checked.
pub(crate) fn decode(file: &[u8]) -> Result<[Range<usize>; 3], Error> {
    if file.len() < MAGIC.len() || file[..MAGIC.len()] != MAGIC {
        return Err(Error::NotAModel);
    }
    need(file, HEADER_BYTES as u64)?;
    let version = u32_at(file, 8);
    if version != FORMAT_VERSION {
        return Err(Error::Version { found: version });
    }
    need(file, u64_at(file, 16))?;
    let table = table(file)?;
    let mut ranges = [0..0, 0..0, 0..0];
    for (range, section) in ranges.iter_mut().zip(Section::ALL) {
        *range = section_range(file, table, section)?;
    }
    Ok(ranges)
}

fn need(file: &[u8], expected: u64) -> Result<(), Error> {
    let found = file.len() as u64;
    if found < expected {
        return Err(Error::Truncated { expected, found });
    }
    Ok(())
}

fn table(file: &[u8]) -> Result<&[u8], Error> {
    let count = u32_at(file, 12);
    if count > MAX_SECTIONS {
        return Err(Error::corrupt(format!("its table has {count} sections")));
    }
    let end = HEADER_BYTES + count as usize * ENTRY_BYTES;
    need(file, end as u64)?;
    let mut head = file[..end].to_vec();
    head[HEADER_CRC].fill(0);
    if crc32fast::hash(&head) != u32_at(file, HEADER_CRC.start) {
        return Err(Error::corrupt("the checksum of its header does not match"));
    }
    if u64_at(file, 16) != file.len() as u64 {
        return Err(Error::corrupt("bytes follow its end"));
    }
    Ok(&file[HEADER_BYTES..end])
}

fn section_range(file: &[u8], table: &[u8], section: Section) -> Result<Range<usize>, Error> {
    let name = section.name();
    let mut rows = table
        .chunks_exact(ENTRY_BYTES)
        .filter(|row| u32_at(row, 0) == section as u32);
    let row = rows
        .next()
        .ok_or_else(|| Error::corrupt(format!("its {name} section is missing")))?;
    if rows.next().is_some() {
        return Err(Error::corrupt(format!("it has two {name} sections")));
    }
    let (crc, offset, bytes) = (u32_at(row, 4), u64_at(row, 8), u64_at(row, 16));
    let end = offset
        .checked_add(bytes)
        .filter(|&end| end <= file.len() as u64);
    let head = (HEADER_BYTES + table.len()) as u64;
    let (Some(end), true) = (
        end,
        offset >= head && offset.is_multiple_of(section.align()),
    ) else {
        return Err(Error::corrupt(format!(
            "its {name} section is out of bounds or misaligned"
        )));
    };
    let range = offset as usize..end as usize;
    if crc32fast::hash(&file[range.clone()]) != crc {
        return Err(Error::corrupt(format!(
            "the checksum of its {name} section does not match"
        )));
    }
    Ok(range)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}
