//! Passes between dialects, one file each.
