//! A safe face on MLIR for Sinter's passes.
