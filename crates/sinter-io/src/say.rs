//! Lines on standard error.

use std::fmt::Arguments;
use std::io::{self, Write};

/// Writes a line to standard error, as `eprintln!` does, and goes on where that is closed or full.
///
/// ```
/// sinter_io::say!("error: {}", "no such file");
/// ```
#[macro_export]
macro_rules! say {
    ($($arguments:tt)*) => { $crate::line(format_args!($($arguments)*)) };
}

/// As [`say!`](crate::say), without the end of the line.
#[macro_export]
macro_rules! say_part {
    ($($arguments:tt)*) => { $crate::part(format_args!($($arguments)*)) };
}

/// A line on standard error; [`say!`](crate::say) formats it.
pub fn line(text: Arguments<'_>) {
    part(format_args!("{text}\n"));
}

/// A part of a line on standard error; [`say_part!`](crate::say_part) formats it.
pub fn part(text: Arguments<'_>) {
    // Nobody reads it: there is nowhere left to say so.
    let _ = io::stderr().lock().write_fmt(text);
}

/// Standard error as a log has it: what cannot be written is dropped.
#[derive(Clone, Copy, Debug, Default)]
pub struct Log;

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = io::stderr().write_all(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let _ = io::stderr().flush();
        Ok(())
    }
}
