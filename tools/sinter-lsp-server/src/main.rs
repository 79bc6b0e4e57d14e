//! MLIR's language server with Sinter's dialects.

use std::process::exit;

fn main() {
    sinter_ir::hooks::install();
    exit(sinter_sys::tools::lsp_server());
}
