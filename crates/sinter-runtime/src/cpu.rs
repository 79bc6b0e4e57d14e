//! What the processor at hand can do.

use sinter_model::Target;

use crate::error::Error;

/// Features that can be asked for by name: LLVM's spelling, and whether this processor has it.
macro_rules! features {
    ($detect:ident: $($llvm:literal = $std:tt),* $(,)?) => {
        fn detect(feature: &str) -> Option<bool> {
            match feature {
                $($llvm => Some(std::arch::$detect!($std)),)*
                _ => None,
            }
        }

        /// Features that a model may ask for, in LLVM's spelling.
        pub const KNOWN: &[&str] = &[$($llvm),*];
    };
}

#[cfg(target_arch = "x86_64")]
features! { is_x86_feature_detected:
    "sse" = "sse", "sse2" = "sse2", "sse3" = "sse3", "ssse3" = "ssse3", "sse4.1" = "sse4.1",
    "sse4.2" = "sse4.2", "sse4a" = "sse4a", "popcnt" = "popcnt", "avx" = "avx", "avx2" = "avx2",
    "fma" = "fma", "f16c" = "f16c", "bmi" = "bmi1", "bmi2" = "bmi2", "lzcnt" = "lzcnt",
    "movbe" = "movbe", "aes" = "aes", "pclmul" = "pclmulqdq", "sha" = "sha", "gfni" = "gfni",
    "vaes" = "vaes", "vpclmulqdq" = "vpclmulqdq", "adx" = "adx", "rdrnd" = "rdrand",
    "rdseed" = "rdseed", "xsave" = "xsave", "avx512f" = "avx512f", "avx512bw" = "avx512bw",
    "avx512cd" = "avx512cd", "avx512dq" = "avx512dq", "avx512vl" = "avx512vl",
    "avx512ifma" = "avx512ifma", "avx512vbmi" = "avx512vbmi", "avx512vbmi2" = "avx512vbmi2",
    "avx512vnni" = "avx512vnni", "avx512bitalg" = "avx512bitalg", "avx512bf16" = "avx512bf16",
    "avx512vpopcntdq" = "avx512vpopcntdq", "avx512fp16" = "avx512fp16", "avxvnni" = "avxvnni",
}

#[cfg(target_arch = "aarch64")]
features! { is_aarch64_feature_detected:
    "neon" = "neon", "fp-armv8" = "fp", "fullfp16" = "fp16", "dotprod" = "dotprod",
    "bf16" = "bf16", "i8mm" = "i8mm", "sve" = "sve", "sve2" = "sve2", "crc" = "crc",
    "lse" = "lse", "rdm" = "rdm", "fp16fml" = "fhm", "jsconv" = "jsconv", "complxnum" = "fcma",
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn detect(_: &str) -> Option<bool> {
    None
}

/// Features that a model may ask for, in LLVM's spelling.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub const KNOWN: &[&str] = &[];

/// The features of this processor among [`KNOWN`].
pub fn host_features() -> Vec<&'static str> {
    KNOWN
        .iter()
        .copied()
        .filter(|feature| detect(feature) == Some(true))
        .collect()
}

/// Checks that this processor can run code for `target`.
///
/// # Errors
///
/// [`Error::Processor`] names what is missing.
pub fn check(target: &Target) -> Result<(), Error> {
    let refuse = |missing: String| {
        let wanted = format!("{} ({})", target.arch, target.cpu);
        Err(Error::Processor { wanted, missing })
    };
    if target.arch != std::env::consts::ARCH {
        return refuse(format!("this machine is {}", std::env::consts::ARCH));
    }
    let missing: Vec<&str> = target
        .features
        .iter()
        .map(String::as_str)
        .filter(|feature| detect(feature) != Some(true))
        .collect();
    if missing.is_empty() {
        Ok(())
    } else {
        refuse(format!("this machine has no {}", missing.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(arch: &str, features: &[&str]) -> Target {
        let features = features.iter().map(|f| f.to_string()).collect();
        Target {
            arch: arch.into(),
            cpu: "test".into(),
            features,
        }
    }

    #[test]
    fn the_host_runs_its_own_features() {
        check(&target(std::env::consts::ARCH, &host_features())).unwrap();
    }

    #[test]
    fn another_processor_is_refused() {
        let error = check(&target("vax", &[])).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("compile it again on this machine"),
            "{error}"
        );
        let error = check(&target(std::env::consts::ARCH, &["quantum"])).unwrap_err();
        assert!(error.to_string().contains("has no quantum"), "{error}");
    }
}
