//! Builds the dialects and the C++ shim.
