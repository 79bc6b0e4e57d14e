//! What `native` means in a device file.

/// The vector unit of a CPU, as far as kernels are shaped by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HostCpu {
    /// Bytes of one vector.
    pub vector_bytes: i64,
    /// Number of vector registers.
    pub vector_registers: i64,
}

impl HostCpu {
    /// AVX2 and FMA.
    pub const AVX2: Self = Self {
        vector_bytes: 32,
        vector_registers: 16,
    };
    /// AVX-512F.
    pub const AVX512: Self = Self {
        vector_bytes: 64,
        vector_registers: 32,
    };
    /// NEON and other 128-bit units.
    pub const NEON: Self = Self {
        vector_bytes: 16,
        vector_registers: 32,
    };

    /// The unit of a name: `avx2`, `avx512`, `neon`.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "avx2" => Some(Self::AVX2),
            "avx512" => Some(Self::AVX512),
            "neon" => Some(Self::NEON),
            _ => None,
        }
    }

    /// The inverse of [`HostCpu::named`].
    pub fn name(self) -> &'static str {
        match self {
            Self::AVX512 => "avx512",
            Self::NEON => "neon",
            _ => "avx2",
        }
    }

    /// The CPU that runs this program.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if std::is_x86_feature_detected!("avx512f") {
                Self::AVX512
            } else {
                Self::AVX2
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            Self::NEON
        }
    }
}
