//! MLIR's reducer with Sinter's dialects and passes.

fn main() {}
