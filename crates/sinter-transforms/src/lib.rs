//! Passes within one dialect, one file each.
