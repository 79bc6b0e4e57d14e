//! Files that users name.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Bytes of the longest text that is read: of rules, devices, costs, controls.
pub const MOST_TEXT_BYTES: u64 = 16 << 20;

/// Says that a file is a regular one, before it is opened: opening a pipe waits for a writer, and a
/// device may have no end.
///
/// # Errors
/// When there is none, or it is something else.
pub fn regular(path: &Path) -> io::Result<()> {
    let found = fs::metadata(path)?;
    if found.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    match found.is_file() {
        true => Ok(()),
        false => Err(io::Error::other("it is no regular file")),
    }
}

/// The text of a regular file.
///
/// # Errors
/// When it is none, cannot be read, is longer than [`MOST_TEXT_BYTES`], or no UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    regular(path)?;
    let mut bytes = Vec::new();
    // What a file says of its length need not be so.
    let file = File::open(path)?.take(MOST_TEXT_BYTES + 1);
    { file }.read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_TEXT_BYTES {
        let most = MOST_TEXT_BYTES >> 20;
        return Err(io::Error::other(format!("it is longer than {most} MiB")));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is no UTF-8 text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_or_no_text_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("text");
        fs::write(&text, "a = 1").unwrap();
        assert_eq!(read_text(&text).unwrap(), "a = 1");
        let said = |path: &Path| read_text(path).unwrap_err().to_string();
        assert_eq!(said(Path::new("/dev/zero")), "it is no regular file");
        assert_eq!(said(folder.path()), "is a directory");
        // A hole takes no place on the disk.
        File::create(&text).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(said(&text), "it is longer than 16 MiB");
        fs::write(&text, [0xff, 0xfe]).unwrap();
        assert_eq!(said(&text), "it is no UTF-8 text");
    }
}
