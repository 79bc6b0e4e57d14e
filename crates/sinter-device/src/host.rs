//! What `native` means in a device file.

/// The vector unit of a CPU, as far as kernels are shaped by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HostCpu {
    /// Bytes of one vector.
    pub vector_bytes: i64,
    /// Number of vector registers.
    pub vector_registers: i64,
    /// Bytes of the vectors that its units are as wide as, where wider ones take several operations.
    pub unit_bytes: Option<i64>,
    /// Whether one instruction adds four products of an unsigned and a signed byte to every 32-bit lane.
    pub byte_dots: bool,
    /// Whether one instruction adds two products of `bf16` to every `f32` lane.
    pub bf16_dots: bool,
}

impl HostCpu {
    /// AVX2 and FMA.
    pub const AVX2: Self = Self {
        vector_bytes: 32,
        vector_registers: 16,
        unit_bytes: None,
        byte_dots: false,
        bf16_dots: false,
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
        unit_bytes: None,
        byte_dots: false,
        bf16_dots: false,
    };
    /// AVX-512F, VL and VNNI.
    pub const AVX512_VNNI: Self = Self {
        byte_dots: true,
        ..Self::AVX512
    };
    /// AVX-512F, VL, VNNI and BF16.
    pub const AVX512_BF16: Self = Self {
        bf16_dots: true,
        ..Self::AVX512_VNNI
    };
    /// A Zen 4 core: the same, a vector of 512 bits in two halves.
    pub const ZEN4: Self = Self {
        unit_bytes: Some(32),
        ..Self::AVX512_BF16
    };
    /// NEON and other 128-bit units.
    pub const NEON: Self = Self {
        vector_bytes: 16,
        vector_registers: 32,
        unit_bytes: None,
        byte_dots: false,
        bf16_dots: false,
    };

    /// The units that have a name.
    pub const NAMED: [(&'static str, Self); 7] = [
        ("avx2", Self::AVX2),
        ("avxvnni", Self::AVX_VNNI),
        ("avx512", Self::AVX512),
        ("avx512vnni", Self::AVX512_VNNI),
        ("avx512bf16", Self::AVX512_BF16),
        ("zen4", Self::ZEN4),
        ("neon", Self::NEON),
    ];

    /// The unit of a name, one of [`HostCpu::NAMED`].
    pub fn named(name: &str) -> Option<Self> {
        let found = Self::NAMED.iter().find(|(n, _)| *n == name);
        found.map(|(_, cpu)| *cpu)
    }

    /// The inverse of [`HostCpu::named`]; AVX2's for what has no name.
    pub fn name(self) -> &'static str {
        let found = Self::NAMED.iter().find(|(_, cpu)| *cpu == self);
        found.map_or("avx2", |(name, _)| name)
    }

    /// The CPU that runs this program.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            let narrow = std::is_x86_feature_detected!("avx512vl");
            let vnni = std::is_x86_feature_detected!("avx512vnni") && narrow;
            let bf16 = std::is_x86_feature_detected!("avx512bf16");
            if std::is_x86_feature_detected!("avx512f") {
                return match (vnni, bf16) {
                    (true, true) if is_zen4() => Self::ZEN4,
                    (true, true) => Self::AVX512_BF16,
                    (true, false) => Self::AVX512_VNNI,
                    (false, _) => Self::AVX512,
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

/// Whether this is a processor of AMD's family 25: with AVX-512, Zen 4.
#[cfg(target_arch = "x86_64")]
fn is_zen4() -> bool {
    use std::arch::x86_64::__cpuid;

    let vendor = __cpuid(0);
    let amd = [vendor.ebx, vendor.edx, vendor.ecx]
        .map(u32::to_le_bytes)
        .concat()
        == b"AuthenticAMD";
    // The family, and what is added to the greatest that its four bits can say.
    let version = __cpuid(1).eax;
    let family = (version >> 8 & 0xf) + (version >> 20 & 0xff);
    amd && family == 25
}
