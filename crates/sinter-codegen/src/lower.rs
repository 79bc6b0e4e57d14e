//! Lowering to the LLVM dialect by upstream conversions.

use melior::Context;
use melior::ir::Module;
use melior::pass::PassManager;
use melior::utility::{parse_pass_pipeline, register_all_passes};

use crate::CodegenError;

/// The conversions, in order. Conversions to and from `bf16` become integer operations. Memrefs are static, so they become bare pointers.
pub const PIPELINE: &str = "builtin.module(\
    func.func(\
    cse,\
    expand-strided-metadata,\
    lower-affine,\
    arith-expand{include-bf16=true},\
    convert-vector-to-scf),\
    convert-scf-to-cf,\
    convert-vector-to-llvm,\
    convert-math-to-llvm,\
    convert-arith-to-llvm,\
    convert-index-to-llvm,\
    finalize-memref-to-llvm,\
    convert-func-to-llvm{use-bare-ptr-memref-call-conv=1},\
    convert-cf-to-llvm,\
    reconcile-unrealized-casts)";

/// Lowers a module of `func`, `scf`, `vector`, `arith`, `math` and `memref` operations to the LLVM
/// dialect, in place.
///
/// # Errors
/// [`CodegenError::Lower`] when a conversion fails.
pub fn lower(context: &Context, module: &mut Module<'_>) -> Result<(), CodegenError> {
    register_all_passes();
    let manager = PassManager::new(context);
    parse_pass_pipeline(manager.as_operation_pass_manager(), PIPELINE)
        .map_err(|error| CodegenError::Lower(error.to_string()))?;
    manager
        .run(module)
        .map_err(|error| CodegenError::Lower(error.to_string()))
}
