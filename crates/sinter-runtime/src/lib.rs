//! Loads, runs and profiles offline models, without LLVM or MLIR in the process.
//!
//! ```no_run
//! use sinter_runtime::{Buffer, Model, Session};
//!
//! let model = Model::load("model.sinter".as_ref())?;
//! let mut session = Session::new(&model, 2)?;
//! // Any slices do; those of a `Buffer` are not copied.
//! let input = Buffer::new(session.input_bytes(0))?;
//! let mut output = Buffer::new(session.output_bytes(0))?;
//! session.run(&[&input], &mut [&mut output])?;
//! # Ok::<(), sinter_runtime::Error>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | [`model`] | loading: processor check, shared object, kernel symbols |
//! | [`session`] | memory, threads, runs |
//! | [`profile`] | the time of each launch, as data |
//! | [`dma`] | transfers of scratchpad devices, sequential and adversarial |
//! | [`cpu`] | what the processor at hand can do |
//! | [`error`] | what can go wrong, with the way out |
//! | `launch_cost` | what launching itself costs |
//! | `program` | the program with everything resolved |
//! | `walk` | one thread's way through it |
//! | `pool` | threads that spin, then park |
//! | `memory` | mapped memory |
//! | `object` | a shared object from memory |

mod apart;
pub mod cpu;
pub mod dma;
pub mod error;
mod launch_cost;
mod memory;
pub mod model;
mod object;
mod pool;
pub mod profile;
mod program;
pub mod session;
mod walk;

pub use dma::Transfers;
pub use error::{Error, Fault};
pub use launch_cost::empty_launch_ns;
pub use memory::Buffer;
pub use model::{KernelFn, Model};
pub use profile::{LaunchTime, Profile};
pub use session::{Options, Session};
