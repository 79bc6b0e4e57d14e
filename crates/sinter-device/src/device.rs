//! What a device file says. `docs/devices.md` explains every field.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sinter_loops::dot_products::{DotKind, DotSupport};
use sinter_loops::onchip::{self, Machine};
use sinter_loops::types::ElementType;

use crate::host::HostCpu;
use crate::load::DeviceError;

/// The version of the device file format that this crate reads.
pub const FORMAT_VERSION: u32 = 1;

/// How far a device's figures can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Validation {
    /// Figures were measured on such a device.
    Measured,
    /// Nobody here can measure the device; prices only rank choices.
    Unvalidated,
}

/// Where the vector unit takes its operands from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VectorOperands {
    /// Registers: an intermediate inside one register tile costs no memory.
    Registers,
    /// Scratchpad: every operand tile occupies the on-chip space and is moved by a transfer.
    Scratchpad,
}

/// Cores that work together on one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoreGroup {
    /// Vector cores of one group.
    pub vector: u32,
    /// Matrix cores of one group.
    pub matrix: u32,
}

/// A figure of the vector unit that is either fixed or the running CPU's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum NativeOr {
    /// A fixed number.
    Fixed(i64),
    /// `"native"`: see [`HostCpu`].
    Native(Native),
}

/// The word `native`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Native {
    /// Resolved by [`Device::with_host_cpu`].
    Native,
}

/// A register tile whose efficiency was measured with the generator's own kernels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegisterTile {
    /// Number of vector registers of the CPU it was measured on.
    pub registers: i64,
    /// Rows of the tile.
    pub rows: i64,
    /// Vectors of each row.
    pub vectors: i64,
    /// Unroll factor of the innermost reduction loop.
    pub unroll: i64,
    /// Part of the FMA peak that it reaches, in (0, 1].
    pub efficiency: f64,
}

/// The vector unit of one core group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VectorUnit {
    /// Name of its engine.
    pub engine: String,
    /// Bytes of one vector, or `"native"`: the running CPU's (AVX-512: 64, else 32).
    pub bytes: NativeOr,
    /// Number of vector registers, or `"native"` (AVX-512: 32, else 16).
    pub registers: NativeOr,
    /// Peak of f32 fused multiply-adds, counted as two operations, in Gop/s.
    pub fma_gflops: f64,
    /// Whether partial vectors at the end of a row are one masked instruction.
    pub tail_masks: bool,
    /// Scalar operations, in Gop/s.
    pub scalar_gops: f64,
    /// Element types in MLIR's spelling that vectors hold; the scalar unit computes the others. Empty:
    /// vectors hold every type.
    #[serde(default)]
    pub elements: Vec<String>,
    /// Loads that can be issued together with one FMA.
    pub loads_per_fma: f64,
    /// Independent accumulators that hide the latency of an FMA.
    pub fma_latency_steps: i64,
    /// Overhead of one step of a reduction loop, in FMAs, before unrolling.
    pub step_overhead: f64,
    /// The narrowest vector, in bytes, that takes time in proportion to its width: such a unit issues
    /// twice as many operations on half the lanes. `native`: the CPU's (32 of a Zen 4 core). Absent, or where the CPU's
    /// units are as wide as its vectors: an operation takes the same whatever its width.
    #[serde(default)]
    pub proportional_bytes: Option<NativeOr>,
    /// Time, in FMAs, of an instruction that adds four products of an unsigned and a signed byte to every
    /// 32-bit lane of a vector, on CPUs that have one (AVX-512 VNNI, AVX-VNNI). Absent: such products are widened,
    /// multiplied and added.
    #[serde(default)]
    pub byte_dot: Option<f64>,
    /// Time, in FMAs, of an instruction that adds two products of two `bf16` to every `f32` lane of a vector, on
    /// CPUs that have one (AVX-512 BF16). Absent: such products are widened, multiplied and added.
    #[serde(default)]
    pub bf16_dot: Option<f64>,
    /// The part of the shorter of arithmetic and memory time that the longer one does not hide, of convolutions and
    /// products: out-of-order execution and prefetching hide most. Where operands are registers only.
    #[serde(default)]
    pub exposed: f64,
    /// Measured register tiles.
    pub register_tile: Vec<RegisterTile>,
    /// Price of functions, in vector additions.
    pub functions: BTreeMap<String, f64>,
}

impl VectorUnit {
    /// Whether vectors hold elements of a type in MLIR's spelling.
    pub fn holds(&self, element: &str) -> bool {
        self.elements.is_empty() || self.elements.iter().any(|e| e == element)
    }
}

/// The first-level data cache as far as addresses compete in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FirstCache {
    /// Bytes of one way: lines so far apart compete for the same ways.
    pub way_bytes: i64,
    /// Lines of one set.
    pub ways: i64,
}

/// A matrix unit: fixed steps on tiles in its own spaces.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatrixUnit {
    /// Name of its engine.
    pub engine: String,
    /// Rows of one step.
    pub m: i64,
    /// Columns of one step.
    pub n: i64,
    /// Depth of one step.
    pub k: i64,
    /// Peak with 16-bit operands, in Gop/s of one core group.
    pub f16_gflops: f64,
    /// Peak with 32-bit operands, in Gop/s of one core group.
    pub f32_gflops: f64,
    /// Space of the left operand.
    pub left: String,
    /// Space of the right operand.
    pub right: String,
    /// Space of the accumulators.
    pub accumulator: String,
}

impl MatrixUnit {
    /// Depth of one step with operands of a type: a step holds so many bytes of an operand, whatever its element.
    pub fn step_depth(&self, element: ElementType) -> i64 {
        onchip::step_depth(self.k, element)
    }
}

/// The bandwidth of a space for kernels that touch at most so many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Level {
    /// Largest footprint that sees this bandwidth.
    pub footprint_bytes: u64,
    /// GB/s of one core group alone.
    pub gbps: f64,
    /// GB/s of all core groups together.
    pub gbps_all: f64,
}

/// A memory space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Space {
    /// Name: `gm` (device memory), `ub` (the vector unit's tile), `l1`, `l0a`, ...
    pub name: String,
    /// Size, of one core group but for `gm`.
    pub bytes: u64,
    /// Alignment of a buffer.
    pub align: u64,
    /// Time to the first byte.
    pub latency_ns: f64,
    /// Bandwidths by footprint, ascending; the last one covers everything beyond.
    pub levels: Vec<Level>,
}

/// What an engine does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EngineKind {
    /// Computes on vectors.
    Vector,
    /// Computes matrix steps.
    Matrix,
    /// Moves data along routes.
    Transfer,
}

/// A unit that runs beside the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// Name.
    pub name: String,
    /// Kind.
    pub kind: EngineKind,
}

/// A way from one space to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Route {
    /// Source space.
    pub from: String,
    /// Destination space.
    pub to: String,
    /// Engine that moves the data.
    pub engine: String,
    /// Fixed functions that the route applies on the way: `relu`, `cast`, `scale`.
    #[serde(default)]
    pub post_ops: Vec<String>,
}

/// A device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Device {
    /// Format version; [`FORMAT_VERSION`].
    pub version: u32,
    /// Name.
    pub name: String,
    /// One sentence.
    pub description: String,
    /// Trust in the figures.
    pub validation: Validation,
    /// Where vector operands lie.
    pub vector_operands: VectorOperands,
    /// Number of core groups (worker threads on `host`).
    pub cores: u32,
    /// Cores of one group.
    pub core_group: CoreGroup,
    /// Price of a launch.
    pub launch_ns: f64,
    /// Price of spreading a launch over several core groups and of their arrival.
    pub barrier_ns: f64,
    /// Price of entering one block.
    pub block_ns: f64,
    /// Bytes that a run touches between two uses of a constant, at least: constants are not in
    /// smaller caches.
    #[serde(default)]
    pub constant_reuse_bytes: u64,
    /// Sets of the first-level cache. Absent: lines of any addresses stay in it together.
    #[serde(default)]
    pub first_cache: Option<FirstCache>,
    /// Granularity of transfers; rows are rounded up to it.
    #[serde(default = "one")]
    pub transfer_block_bytes: u64,
    /// Size of a transfer that reaches half of the peak rate; zero: transfers of any size reach it.
    #[serde(default)]
    pub transfer_half_bytes: u64,
    /// Whether operand tiles have two buffers, so that transfers overlap with compute.
    #[serde(default)]
    pub double_buffer: bool,
    /// Channels of a block (C0), where activations may be stored in blocks of channels, `[n, c / C0, h, w, C0]`. Absent: they
    /// are stored channels-last.
    #[serde(default)]
    pub channel_block: Option<i64>,
    /// Whether reductions run in ascending order only; no property of a file.
    #[serde(skip)]
    pub fixed_reductions: bool,
    /// Vector unit.
    pub vector: VectorUnit,
    /// Matrix unit, where there is one.
    pub matrix: Option<MatrixUnit>,
    /// Memory spaces; `gm` and `ub` always exist.
    #[serde(rename = "space")]
    pub spaces: Vec<Space>,
    /// Engines.
    #[serde(rename = "engine")]
    pub engines: Vec<Engine>,
    /// Routes.
    #[serde(rename = "route")]
    pub routes: Vec<Route>,
}

fn one() -> u64 {
    1
}

impl Device {
    /// The device of a built-in name (`host`, `ascend-910b`, `ascend-coupled`).
    ///
    /// # Errors
    /// When no built-in device has the name.
    pub fn named(name: &str) -> Result<Self, DeviceError> {
        crate::load::named(name)
    }

    /// The device that `name_or_path` means: a built-in name, or the path of a device file. Behind
    /// either may stand what `native` figures are to be taken from, `host+avx512` and what else
    /// [`HostCpu::named`] knows; without it they are AVX2's on every machine. So may a number of cores,
    /// `host+1core`, `host+2cores`.
    ///
    /// # Errors
    /// When it is neither, or the file is malformed.
    pub fn load(name_or_path: &str) -> Result<Self, DeviceError> {
        if let Some((device, cpu)) = name_or_path.rsplit_once('+')
            && let Some(cpu) = HostCpu::named(cpu)
        {
            return Ok(Self::load(device)?.with_host_cpu(cpu));
        }
        if let Some((device, cores)) = name_or_path.rsplit_once('+')
            && let Some(cores) = cores.strip_suffix("cores").or(cores.strip_suffix("core"))
            && let Ok(cores @ 1..) = cores.parse()
        {
            return Ok(Self::load(device)?.with_cores(cores));
        }
        if crate::built_in::BUILT_IN
            .iter()
            .any(|(name, _)| *name == name_or_path)
        {
            return Self::named(name_or_path);
        }
        crate::load::file(Path::new(name_or_path))
    }

    /// The same device with `native` figures taken from the given CPU.
    #[must_use]
    pub fn with_host_cpu(mut self, cpu: HostCpu) -> Self {
        if matches!(self.vector.bytes, NativeOr::Native(_)) {
            self.vector.bytes = NativeOr::Fixed(cpu.vector_bytes);
        }
        if matches!(self.vector.registers, NativeOr::Native(_)) {
            self.vector.registers = NativeOr::Fixed(cpu.vector_registers);
        }
        if matches!(self.vector.proportional_bytes, Some(NativeOr::Native(_))) {
            self.vector.proportional_bytes = cpu.unit_bytes.map(NativeOr::Fixed);
        }
        self.vector.byte_dot = self.vector.byte_dot.filter(|_| cpu.byte_dots);
        self.vector.bf16_dot = self.vector.bf16_dot.filter(|_| cpu.bf16_dots);
        self
    }

    /// The same device with so many core groups (threads on `host`), at least one.
    #[must_use]
    pub fn with_cores(mut self, cores: u32) -> Self {
        self.cores = cores.max(1);
        self
    }

    /// The same device, with every reduction in ascending order where `fixed`: no vectors along
    /// reductions, so that the order depends on the operator alone and not on what shares its kernel.
    #[must_use]
    pub fn with_fixed_reductions(mut self, fixed: bool) -> Self {
        self.fixed_reductions = fixed;
        self
    }

    /// Bytes of one vector; AVX2's where `native` was not resolved.
    pub fn vector_bytes(&self) -> i64 {
        match self.vector.bytes {
            NativeOr::Fixed(n) => n,
            NativeOr::Native(_) => HostCpu::AVX2.vector_bytes,
        }
    }

    /// Number of vector registers; AVX2's where `native` was not resolved.
    pub fn vector_registers(&self) -> i64 {
        match self.vector.registers {
            NativeOr::Fixed(n) => n,
            NativeOr::Native(_) => HostCpu::AVX2.vector_registers,
        }
    }

    /// Time of a dot product, in FMAs, where there is an instruction; see [`VectorUnit::byte_dot`] and
    /// [`VectorUnit::bf16_dot`]. Two products of `bf16` are not added in ascending order: there are none where
    /// reductions are fixed.
    pub fn dot(&self, kind: DotKind) -> Option<f64> {
        match (self.vector.bytes, kind) {
            (NativeOr::Fixed(_), DotKind::Bytes) => self.vector.byte_dot,
            (NativeOr::Fixed(_), DotKind::Bf16) => {
                self.vector.bf16_dot.filter(|_| !self.fixed_reductions)
            }
            (NativeOr::Native(_), _) => None,
        }
    }

    /// Which dot products there are instructions for.
    pub fn dots(&self) -> DotSupport {
        DotSupport {
            bytes: self.dot(DotKind::Bytes).is_some(),
            bf16: self.dot(DotKind::Bf16).is_some(),
        }
    }

    /// Lanes of one vector of elements of so many bytes.
    pub fn lanes(&self, element_bytes: usize) -> i64 {
        (self.vector_bytes() / element_bytes.max(1) as i64).max(1)
    }

    /// Time of an operation on so many lanes of elements of so many bytes, over that on a whole vector.
    pub fn width_factor(&self, lanes: i64, element_bytes: usize) -> f64 {
        let whole = self.vector_bytes();
        let Some(NativeOr::Fixed(narrowest)) = self.vector.proportional_bytes else {
            return 1.0;
        };
        let bytes = (lanes * element_bytes as i64).max(narrowest).min(whole);
        bytes as f64 / whole as f64
    }

    /// Whether operands of the vector unit are tiles in a scratchpad.
    pub fn is_scratchpad(&self) -> bool {
        self.vector_operands == VectorOperands::Scratchpad
    }

    /// A memory space by name.
    pub fn space(&self, name: &str) -> Option<&Space> {
        self.spaces.iter().find(|s| s.name == name)
    }

    /// Size of a memory space; zero where the device has none of the name.
    pub fn space_bytes(&self, name: &str) -> u64 {
        self.space(name).map_or(0, |s| s.bytes)
    }

    /// The route between two spaces.
    pub fn route(&self, from: &str, to: &str) -> Option<&Route> {
        self.routes.iter().find(|r| r.from == from && r.to == to)
    }

    /// Whether the matrix unit's accumulators reach the vector unit's memory without passing through
    /// device memory. True where the accumulators are vector registers.
    pub fn matrix_feeds_vector(&self) -> bool {
        match &self.matrix {
            None => true,
            Some(unit) => self.route(&unit.accumulator, "ub").is_some(),
        }
    }

    /// What the lowering to steps over tiles has to know.
    pub fn machine(&self) -> Machine {
        let bytes = |space: &str| i64::try_from(self.space_bytes(space)).unwrap_or(i64::MAX);
        let unit = |unit: &MatrixUnit| onchip::MatrixUnit {
            left_bytes: bytes(&unit.left),
            right_bytes: bytes(&unit.right),
            k: unit.k,
            block_bytes: i64::try_from(self.transfer_block_bytes).unwrap_or(i64::MAX),
            feeds_vector: self.matrix_feeds_vector(),
        };
        Machine {
            matrix: self.matrix.as_ref().map(unit),
            double_buffer: self.double_buffer,
        }
    }

    /// Tensors of so many bytes and more are not found in a cache by whoever reads them next: the footprint
    /// of the last level of device memory but one, or no limit where there are no levels.
    pub fn streamed_bytes(&self) -> u64 {
        let levels = self.space("gm").map_or(&[][..], |space| &space.levels);
        let cached = levels.len().checked_sub(2).map(|n| &levels[n]);
        cached.map_or(u64::MAX, |level| level.footprint_bytes)
    }

    /// Tensors of so many bytes and more are in no cache that a core has for itself: the footprint of the last level
    /// of device memory but two, or no limit where there are fewer levels.
    pub fn own_cache_bytes(&self) -> u64 {
        let levels = self.space("gm").map_or(&[][..], |space| &space.levels);
        let own = levels.len().checked_sub(3).map(|n| &levels[n]);
        own.map_or(u64::MAX, |level| level.footprint_bytes)
    }

    /// The bandwidth level of a space for kernels that touch so many bytes.
    pub fn level(&self, space: &str, footprint_bytes: u64) -> Option<Level> {
        let levels = &self.space(space)?.levels;
        let fits = levels.iter().find(|l| footprint_bytes <= l.footprint_bytes);
        fits.or(levels.last()).copied()
    }
}
