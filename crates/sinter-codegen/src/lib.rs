//! LLVM code generation through inkwell.
