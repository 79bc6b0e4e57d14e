//! What machine code is made for.

use std::ptr;
use std::sync::Once;

use inkwell::OptimizationLevel;
use inkwell::llvm_sys::support::LLVMParseCommandLineOptions;
use inkwell::targets::{
    CodeModel, InitializationConfig, RelocMode, Target as LlvmTarget, TargetMachine, TargetTriple,
};

use sinter_loops::dot_products::DotSupport;

use crate::CodegenError;

/// A target, as LLVM names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// Triple, such as `x86_64-unknown-linux-gnu`.
    pub triple: String,
    /// CPU, such as `znver4`.
    pub cpu: String,
    /// Features, such as `+avx2,+fma`; in addition to the CPU's own.
    pub features: String,
}

impl Target {
    /// The machine that this process runs on.
    pub fn host() -> Self {
        Self {
            triple: text(TargetMachine::get_default_triple().as_str().to_bytes()),
            cpu: text(TargetMachine::get_host_cpu_name().to_bytes()),
            features: text(TargetMachine::get_host_cpu_features().to_bytes()),
        }
    }

    /// Bits of the widest vector registers: 512 with AVX-512, 256 with AVX, otherwise 128.
    pub fn vector_bits(&self) -> u32 {
        let has = |feature: &str| self.features.split(',').any(|f| f == feature);
        let wide = matches!(self.cpu.as_str(), "znver4" | "znver5" | "x86-64-v4");
        if has("+avx512f") || (wide && !has("-avx512f")) {
            512
        } else if has("+avx") || matches!(self.cpu.as_str(), "x86-64-v3" | "haswell" | "znver3") {
            256
        } else {
            128
        }
    }

    /// Which instructions there are that add a group of products to every 32-bit lane.
    pub fn dots(&self) -> DotSupport {
        let has = |feature: &str| self.features.split(',').any(|f| f == feature);
        let cpu = self.cpu.as_str();
        let narrow = !has("-avx512vl");
        let of = |feature: &str, known: &[&str]| {
            let given = has(&format!("+{feature}")) || known.contains(&cpu);
            given && !has(&format!("-{feature}")) && narrow
        };
        let vnni = of(
            "avx512vnni",
            &["znver4", "znver5", "cascadelake", "cooperlake"],
        );
        DotSupport {
            bytes: vnni || (has("+avxvnni") && !has("-avxvnni")),
            bf16: of("avx512bf16", &["znver4", "znver5", "cooperlake"]),
        }
    }

    /// The LLVM machine, position independent, at the highest optimisation level.
    pub(crate) fn machine(&self) -> Result<TargetMachine, CodegenError> {
        LlvmTarget::initialize_all(&InitializationConfig::default());
        keep_order();
        let triple = TargetTriple::create(&self.triple);
        let target = LlvmTarget::from_triple(&triple)
            .map_err(|error| CodegenError::Llvm(error.to_string()))?;
        target
            .create_target_machine(
                &triple,
                &self.cpu,
                &self.features,
                OptimizationLevel::Aggressive,
                RelocMode::PIC,
                CodeModel::Default,
            )
            .ok_or_else(|| CodegenError::Llvm(format!("no target machine for {}", self.triple)))
    }
}

/// Sets what only LLVM's command line can set, once in a process.
///
/// Instructions stay in the order in which kernels are generated: loads of one step of a register tile, its
/// multiply-adds, then the next step's, which needs no more registers than the tile was chosen for. LLVM's scheduler moves loads
/// of later steps up, spills accumulators for them, and processors of this size reorder by themselves.
fn keep_order() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let arguments = [c"sinter".as_ptr(), c"-enable-misched=false".as_ptr()];
        // SAFETY: the strings are constants, as many as said, and the option is one of LLVM 22.
        unsafe {
            LLVMParseCommandLineOptions(arguments.len() as i32, arguments.as_ptr(), ptr::null());
        }
    });
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
