//! `apply-pdl-patterns`: rewrite patterns from a file.
//!
//! Takes any module. Applies the `pdl.pattern`s of a file greedily, with folding, until none matches. The file is MLIR with
//! operations of `pdl`, or PDLL, which LLVM's `mlir-pdll` translates; that is looked for beside `LLVM_BIN_DIR`, LLVM 22's
//! usual folder, and on `PATH`. Refuses files that hold no pattern, patterns that name operations which their dialect does not
//! have, and patterns that do not come to an end.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use melior::StringRef;
use melior::ir::Module;
use melior::ir::operation::{OperationLike, OperationRef};
use sinter_io::did_you_mean;
use sinter_ir::attr;
use sinter_ir::graph::op_name;
use sinter_ir::location::file_line;
use sinter_ir::module::{parse, parse_file};
use sinter_ir::rewrite::context_of;
use sinter_ir::walk::{blocks, inside, operations};
use sinter_ops::Op;
use sinter_pass::{Failure, Pass, PassInfo};

/// The folder of LLVM's tools where no variable names another.
const LLVM_BIN: &str = "/usr/lib/llvm-22/bin";

sinter_pass::options! {
    /// Options of [`ApplyPdlPatterns`].
    pub struct ApplyPdlPatternsOptions {
        /// File of patterns: MLIR with operations of pdl, or PDLL (.pdll)
        file: String = String::new(),
        /// Most rewrites before the patterns are said to have no end
        max_rewrites: usize = 10_000,
    }
}

/// The pass.
pub struct ApplyPdlPatterns;

impl Pass for ApplyPdlPatterns {
    type Options = ApplyPdlPatternsOptions;

    const INFO: PassInfo = PassInfo {
        name: "apply-pdl-patterns",
        summary: "Rewrite patterns from a file of PDL or PDLL",
        description: "Applies the patterns greedily, with folding, until none matches. PDLL needs `mlir-pdll`. \
                      Fails when the patterns still match after the given number of rewrites.",
        anchor: Some("builtin.module"),
        dialects: &["pdl", "pdl_interp", "graph", "tloop", "npu"],
    };

    fn run(&self, op: OperationRef<'_, '_>, options: &Self::Options) -> Result<(), Failure> {
        if options.file.is_empty() {
            return Err(Failure::message("give the file of patterns: file=FILE"));
        }
        let patterns = patterns(context_of(op), Path::new(&options.file))?;
        if inside(patterns.as_operation(), "pdl.pattern").is_empty() {
            return Err(Failure::message(format!(
                "'{}' holds no pattern",
                options.file
            )));
        }
        unknown(patterns.as_operation())?;
        if apply(op, patterns, options.max_rewrites) {
            Ok(())
        } else {
            Err(Failure::message(format!(
                "the patterns of '{}' still match after {} rewrites",
                options.file, options.max_rewrites
            )))
        }
    }
}

/// Refuses patterns that name an operation which its dialect does not have: they would never match, or make
/// what does not verify.
fn unknown(op: OperationRef<'_, '_>) -> Result<(), Failure> {
    for inner in blocks(op).into_iter().flat_map(operations) {
        unknown(inner)?;
        let name = inner.attribute("opName").ok().and_then(attr::as_str);
        let Some(name) = name.filter(|_| op_name(inner) == "pdl.operation") else {
            continue;
        };
        let (dialect, _) = name.split_once('.').unwrap_or((name, ""));
        let context = context_of(inner).to_raw();
        // SAFETY: the context and the names are alive during the calls.
        let known = unsafe {
            let dialect = StringRef::new(dialect).to_raw();
            mlir_sys::mlirContextGetOrLoadDialect(context, dialect)
                .ptr
                .is_null()
                || mlir_sys::mlirContextIsRegisteredOperation(
                    context,
                    StringRef::new(name).to_raw(),
                )
        };
        if !known {
            let ours = Op::names().map(|n| match n.contains('.') {
                true => n.to_owned(),
                false => format!("graph.{n}"),
            });
            let ours: Vec<_> = ours.collect();
            let near = did_you_mean(name, ours.iter().map(String::as_str));
            let place = file_line(inner.location()).unwrap_or_default();
            return Err(Failure::message(format!(
                "{place}: no operation is called '{name}'{near}"
            )));
        }
    }
    Ok(())
}

/// The module of patterns that a file holds.
fn patterns<'c>(context: &'c melior::Context, file: &Path) -> Result<Module<'c>, Failure> {
    if file.extension().is_none_or(|e| e != "pdll") {
        return Ok(parse_file(context, file)?);
    }
    let output = Command::new(mlir_pdll())
        .args(["-x", "mlir"])
        .arg(file)
        .output()
        .map_err(|e| Failure::message(format!("mlir-pdll cannot be run: {e}; give PDL instead")))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(Failure::message(said.trim().to_owned()));
    }
    Ok(parse(context, &output.stdout)?)
}

fn mlir_pdll() -> OsString {
    let named = std::env::var_os("LLVM_BIN_DIR").map(PathBuf::from);
    let folders = [named, Some(PathBuf::from(LLVM_BIN))];
    let mut tools = folders.into_iter().flatten().map(|f| f.join("mlir-pdll"));
    let found = tools.find(|tool| tool.exists());
    found.map_or_else(|| "mlir-pdll".into(), PathBuf::into_os_string)
}

/// Applies patterns until none matches; whether it came to that.
fn apply(op: OperationRef<'_, '_>, patterns: Module<'_>, max_rewrites: usize) -> bool {
    // SAFETY: the pattern module owns the IR that it is given; the set owns what it is made of, the frozen set
    // takes the set over, and all are destroyed once, after their last use.
    unsafe {
        let raw = patterns.to_raw();
        std::mem::forget(patterns);
        let pdl = mlir_sys::mlirPDLPatternModuleFromModule(raw);
        let set = mlir_sys::mlirRewritePatternSetFromPDLPatternModule(pdl);
        let frozen = mlir_sys::mlirFreezeRewritePattern(set);
        let config = mlir_sys::mlirGreedyRewriteDriverConfigCreate();
        mlir_sys::mlirGreedyRewriteDriverConfigSetMaxNumRewrites(config, max_rewrites as i64);
        // One round: another begins only where the first came to its end, or to its limit.
        mlir_sys::mlirGreedyRewriteDriverConfigSetMaxIterations(config, 2);
        let result = mlir_sys::mlirApplyPatternsAndFoldGreedilyWithOp(op.to_raw(), frozen, config);
        mlir_sys::mlirGreedyRewriteDriverConfigDestroy(config);
        mlir_sys::mlirFrozenRewritePatternSetDestroy(frozen);
        mlir_sys::mlirPDLPatternModuleDestroy(pdl);
        result.value != 0
    }
}
