//! Mapped files: the model and the files beside it that hold external weights.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Component, Path, PathBuf};

use bytes::Bytes;
use memmap2::Mmap;

use crate::error::ImportError;

/// The bytes of a file, mapped: weights are read from it in place.
///
/// # Errors
/// When the file cannot be opened or mapped.
pub(crate) fn map(path: &Path) -> Result<Bytes, ImportError> {
    let io = |cause| ImportError::Io {
        path: path.into(),
        cause,
    };
    sinter_io::regular(path).map_err(io)?;
    let file = File::open(path).map_err(io)?;
    if file.metadata().map_err(io)?.len() == 0 {
        return Ok(Bytes::new());
    }
    // SAFETY: the mapping is private and read-only. Whoever changes or cuts the file while the model is
    // in use breaks it for this process, as for any program that maps its inputs.
    let mapped = unsafe { Mmap::map(&file) }.map_err(io)?;
    Ok(Bytes::from_owner(mapped))
}

/// The files beside a model, each mapped once.
pub(crate) struct Files {
    folder: PathBuf,
    /// Where files may be once links are followed: the folders of the model's name and of what it links to.
    roots: Vec<PathBuf>,
    mapped: RefCell<BTreeMap<PathBuf, Bytes>>,
}

impl Files {
    /// The files beside `model`.
    pub(crate) fn beside(model: &Path) -> Self {
        let folder = model.parent().map(Path::to_path_buf).unwrap_or_default();
        let here = match folder.as_os_str().is_empty() {
            true => Path::new("."),
            false => &folder,
        };
        let linked = std::fs::canonicalize(model).ok();
        let linked = linked.as_deref().and_then(Path::parent);
        let roots = std::fs::canonicalize(here).ok().into_iter();
        let roots = roots.chain(linked.map(Path::to_path_buf)).collect();
        Self {
            folder,
            roots,
            mapped: RefCell::default(),
        }
    }

    /// A part of a file; to its end without a `length`.
    ///
    /// # Errors
    /// When the location leaves the model's folder, the file cannot be read, or it is too short.
    pub(crate) fn part(
        &self,
        location: &str,
        offset: usize,
        length: Option<usize>,
    ) -> Result<Bytes, String> {
        let relative = Path::new(location);
        let below = |c| matches!(c, Component::Normal(_) | Component::CurDir);
        if !relative.components().all(below) || self.links_away(relative) {
            return Err(format!(
                "its file '{location}' is outside the model's folder: move it there"
            ));
        }
        let data = self.whole(relative).map_err(|e| {
            format!("its data is in another file: {e}; put that file beside the model")
        })?;
        let end = length.map_or(Some(data.len()), |n| offset.checked_add(n));
        match end {
            Some(end) if offset <= end && end <= data.len() => Ok(data.slice(offset..end)),
            _ => Err(format!(
                "its file '{location}' has {} bytes and is too short: fetch or export it again",
                data.len()
            )),
        }
    }

    /// Whether a file is outside of every root once its links are followed.
    fn links_away(&self, relative: &Path) -> bool {
        let found = std::fs::canonicalize(self.folder.join(relative));
        found.is_ok_and(|file| !self.roots.iter().any(|root| file.starts_with(root)))
    }

    fn whole(&self, relative: &Path) -> Result<Bytes, ImportError> {
        if let Some(data) = self.mapped.borrow().get(relative) {
            return Ok(data.clone());
        }
        let data = map(&self.folder.join(relative))?;
        self.mapped
            .borrow_mut()
            .insert(relative.into(), data.clone());
        Ok(data)
    }
}
