//! Files that are written whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

/// Writes a file through a temporary one in the same folder, which takes its name once complete: no file of
/// that name is ever half written. Devices and pipes are written to as they are.
///
/// # Errors
/// When the content fails, or the file cannot be written.
pub fn replace(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let (folder, path) = match destination(path)? {
        Destination::Special(file) => {
            let mut out = BufWriter::new(&file);
            content(&mut out)?;
            return out.flush();
        }
        Destination::File { folder, path } => (folder, path),
    };
    let file = temporary(&folder)?;
    let mut out = BufWriter::new(file.as_file());
    content(&mut out)?;
    out.flush()?;
    drop(out);
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Checks that a file can be written, without a trace of it.
///
/// # Errors
/// When it cannot.
pub fn check_writable(path: &Path) -> io::Result<()> {
    match destination(path)? {
        Destination::Special(_) => Ok(()),
        Destination::File { folder, .. } => temporary(&folder).map(drop),
    }
}

/// Where a file is written.
enum Destination {
    /// A device or a pipe, which is written to and never replaced.
    Special(File),
    /// An ordinary file, there already or not, behind all links.
    File { folder: PathBuf, path: PathBuf },
}

fn destination(path: &Path) -> io::Result<Destination> {
    let path = match fs::metadata(path) {
        Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(found) if found.is_file() => fs::canonicalize(path)?,
        Ok(_) => {
            return File::options()
                .write(true)
                .open(path)
                .map(Destination::Special);
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
        Err(error) => return Err(error),
    };
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    // Faults of the folder itself are said of it.
    fs::metadata(&folder)?;
    Ok(Destination::File { folder, path })
}

fn temporary(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".sinter-").suffix(".part");
    readable_by_all(&mut builder);
    builder
        .tempfile_in(folder)
        .map_err(|error| plain(&error, folder))
}

/// What the system says, with the folder instead of the temporary file's name.
fn plain(error: &io::Error, folder: &Path) -> io::Error {
    let inner = error.get_ref().and_then(std::error::Error::source);
    let cause = inner.map_or_else(|| error.kind().to_string(), ToString::to_string);
    let said = format!("no file can be made in '{}': {cause}", folder.display());
    io::Error::new(error.kind(), said)
}

/// Temporary files are private by default; what is written is an ordinary file, subject to the umask.
#[cfg(unix)]
fn readable_by_all(builder: &mut Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn readable_by_all(_: &mut Builder<'_, '_>) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_stays_as_it_was_where_its_content_fails() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        replace(&path, |out| out.write_all(b"old")).unwrap();
        let half = |out: &mut dyn Write| {
            out.write_all(b"ne")?;
            Err(io::Error::other("no more"))
        };
        assert_eq!(replace(&path, half).unwrap_err().to_string(), "no more");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_folder_that_takes_no_files_is_named() {
        for check in [check_writable, |path: &Path| replace(path, |_| Ok(()))] {
            let said = check(Path::new("/proc/model")).unwrap_err().to_string();
            assert!(
                said.starts_with("no file can be made in '/proc': "),
                "{said}"
            );
            assert!(!said.contains(".part"), "{said}");
        }
    }
}
