//! A shared object from memory: an anonymous file that the dynamic loader opens.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, FromRawFd};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use crate::error::Error;
use crate::model::KernelFn;

/// A loaded shared object. The file stays open for as long: the loader knows objects by name, and
/// the name is the descriptor's number.
pub(crate) struct Object {
    library: Library,
    _file: File,
}

impl Object {
    pub(crate) fn load(code: &[u8]) -> Result<Self, Error> {
        let object = |detail: String| Error::Object { detail };
        let file = anonymous_file(code)
            .map_err(|e| object(format!("an anonymous file cannot be made ({e})")))?;
        let path = format!("/proc/self/fd/{}", file.as_raw_fd());
        // SAFETY: Opening a shared object runs its initialisers. Sinter's objects have none, and a
        // model is trusted as any program is that one chooses to run.
        let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }
            .map_err(|e| object(format!("the loader says: {}", one_line(&e.to_string()))))?;
        Ok(Self {
            library,
            _file: file,
        })
    }

    pub(crate) fn kernel(&self, symbol: &str) -> Result<KernelFn, Error> {
        // SAFETY: The symbol has the type of a kernel by the container's contract; the pointer is
        // used only while the library is loaded (`Model` owns both).
        let found = unsafe { self.library.get::<KernelFn>(symbol) };
        found.map(|kernel| *kernel).map_err(|_| Error::Kernel {
            symbol: symbol.into(),
        })
    }
}

fn one_line(text: &str) -> String {
    text.lines().collect::<Vec<_>>().join(" ")
}

fn anonymous_file(content: &[u8]) -> io::Result<File> {
    // SAFETY: The name is a C string that lives through the call.
    let fd = unsafe { libc::memfd_create(c"sinter-kernels".as_ptr(), libc::MFD_CLOEXEC) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: `fd` was just made and nothing else owns it.
    let mut file = unsafe { File::from_raw_fd(fd) };
    file.write_all(content)?;
    Ok(file)
}
