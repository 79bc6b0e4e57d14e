//! Loading: processor check, shared object, kernel symbols.

use std::path::Path;
use std::sync::Arc;

use sinter_model::{Container, Manifest};

use crate::cpu;
use crate::error::Error;
use crate::object::Object;

/// A kernel: `(bufs, dims, block_begin, block_end, scratch)`.
///
/// `bufs` are the launch's buffers, inputs and constants first, each 64-byte aligned; `scratch` is the
/// thread's scratch memory or, on scratchpad devices, the scratch words of [`crate::dma`].
pub type KernelFn = unsafe extern "C" fn(
    bufs: *const *mut u8,
    dims: *const i64,
    block_begin: u64,
    block_end: u64,
    scratch: *mut u8,
);

/// A model that is ready to be run by any number of sessions. Clones share it.
#[derive(Clone)]
pub struct Model {
    inner: Arc<Inner>,
}

struct Inner {
    kernels: Vec<KernelFn>,
    container: Container,
    /// Keeps the code of `kernels` mapped.
    _object: Option<Object>,
}

impl Model {
    /// Maps, checks and loads a file.
    ///
    /// # Errors
    ///
    /// [`Error`] says why the file cannot be used on this machine, and what to do.
    pub fn load(path: &Path) -> Result<Self, Error> {
        Self::from_container(Container::open(path)?)
    }

    /// Loads a container that is open already.
    ///
    /// # Errors
    ///
    /// As [`Model::load`].
    pub fn from_container(container: Container) -> Result<Self, Error> {
        cpu::check(&container.manifest().target)?;
        let object = Object::load(container.object())?;
        let symbols = container.manifest().kernels.iter();
        let kernels: Result<_, _> = symbols
            .map(|kernel| object.kernel(&kernel.symbol))
            .collect();
        Ok(Self {
            inner: Arc::new(Inner {
                kernels: kernels?,
                container,
                _object: Some(object),
            }),
        })
    }

    /// Uses kernels that are linked into the program, in the manifest's order, instead of the
    /// container's shared object.
    ///
    /// # Safety
    ///
    /// Each kernel must keep to the buffers, blocks and scratch memory that the container's program
    /// gives it.
    ///
    /// # Errors
    ///
    /// [`Error::Kernel`] when there are fewer kernels than the manifest has.
    pub unsafe fn with_kernels(
        container: Container,
        kernels: Vec<KernelFn>,
    ) -> Result<Self, Error> {
        if let Some(kernel) = container.manifest().kernels.get(kernels.len()) {
            return Err(Error::Kernel {
                symbol: kernel.symbol.clone(),
            });
        }
        Ok(Self {
            inner: Arc::new(Inner {
                kernels,
                container,
                _object: None,
            }),
        })
    }

    /// The manifest.
    pub fn manifest(&self) -> &Manifest {
        self.inner.container.manifest()
    }

    pub(crate) fn kernel(&self, index: u32) -> KernelFn {
        self.inner.kernels[index as usize]
    }

    pub(crate) fn weights(&self) -> &[u8] {
        self.inner.container.weights()
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model")
            .field("model", &self.manifest().model)
            .finish_non_exhaustive()
    }
}
