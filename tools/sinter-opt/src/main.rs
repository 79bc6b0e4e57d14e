//! MLIR's opt driver with Sinter's dialects and passes.

fn main() {}
