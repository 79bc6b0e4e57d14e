//! The sinter command.

fn main() {}
