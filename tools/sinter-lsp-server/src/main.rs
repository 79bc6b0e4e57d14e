//! MLIR's language server with Sinter's dialects.

fn main() {}
