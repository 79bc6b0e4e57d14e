//! What users give and are told.
//!
//! - [`read_text`] and [`regular`]: a file that a user names may be a pipe that nobody writes to, or a
//!   device that has no end; no command waits for the one or fills its memory with the other.
//! - [`replace`]: a file that is written is there whole or not at all.
//! - [`say!`]: a line on standard error, which may be closed or full. That is no reason to end.
//! - [`one_line`]: names in a model may hold any character; what is printed for people is lines.
//! - [`did_you_mean`]: the word that was meant by one which is not known.

mod files;
mod line;
mod near;
mod replace;
mod say;

pub use files::{MOST_TEXT_BYTES, read_text, regular};
pub use line::one_line;
pub use near::did_you_mean;
pub use replace::{check_writable, replace};
pub use say::{Log, line, part};
