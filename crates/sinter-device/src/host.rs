//! What `native` means in a device file.

/// The vector unit of a CPU, as far as kernels are shaped by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HostCpu {
    /// Bytes of one vector.
    pub vector_bytes: i64,
    /// Number of vector registers.
    pub vector_registers: i64,
    /// Whether one instruction adds four products of an unsigned and a signed byte to every 32-bit lane.
    pub byte_dots: bool,
}

impl HostCpu {
    /// AVX2 and FMA.
    pub const AVX2: Self = Self {
        vector_bytes: 32,
        vector_registers: 16,
        byte_dots: false,
    };
    /// AVX2 and AVX-VNNI.
    pub const AVX_VNNI: Self = Self {
        byte_dots: true,
        ..Self::AVX2
    };
    /// AVX-512F.
    pub const AVX512: Self = Self {
        vector_bytes: 64,
        vector_registers: 32,
        byte_dots: false,
    };
    /// AVX-512F, VL and VNNI.
    pub const AVX512_VNNI: Self = Self {
        byte_dots: true,
        ..Self::AVX512
    };
    /// NEON and other 128-bit units.
    pub const NEON: Self = Self {
        vector_bytes: 16,
        vector_registers: 32,
        byte_dots: false,
    };

    /// The unit of a name: `avx2`, `avxvnni`, `avx512`, `avx512vnni`, `neon`.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "avx2" => Some(Self::AVX2),
            "avxvnni" => Some(Self::AVX_VNNI),
            "avx512" => Some(Self::AVX512),
            "avx512vnni" => Some(Self::AVX512_VNNI),
            "neon" => Some(Self::NEON),
            _ => None,
        }
    }

    /// The inverse of [`HostCpu::named`].
    pub fn name(self) -> &'static str {
        match self {
            Self::AVX_VNNI => "avxvnni",
            Self::AVX512 => "avx512",
            Self::AVX512_VNNI => "avx512vnni",
            Self::NEON => "neon",
            _ => "avx2",
        }
    }

    /// The CPU that runs this program.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            let narrow = std::is_x86_feature_detected!("avx512vl");
            let vnni = std::is_x86_feature_detected!("avx512vnni") && narrow;
            if std::is_x86_feature_detected!("avx512f") {
                return if vnni {
                    Self::AVX512_VNNI
                } else {
                    Self::AVX512
                };
            }
            match std::is_x86_feature_detected!("avxvnni") {
                true => Self::AVX_VNNI,
                false => Self::AVX2,
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            Self::NEON
        }
    }
}
