//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use sinter_driver::{CompileOptions, Level, ShapeArg};
use sinter_runner::terminal::at_least_one;

/// Compiles trained models to few, fused kernels; runs, measures and explains them.
#[derive(Parser, Debug)]
#[command(name = "sinter", version, max_term_width = 100)]
pub(crate) struct Cli {
    /// What goes to the log on standard error: a level, or targets with levels
    #[arg(
        long,
        global = true,
        env = "SINTER_LOG",
        default_value = "warn",
        value_name = "FILTER"
    )]
    pub(crate) log: String,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Compile an ONNX model to an offline model
    Compile(Compile),
    /// Run a model once and write its outputs
    Run(Run),
    /// Measure the latency of a model
    Bench(Bench),
    /// Show what was fused and what was not, with the reasons
    Explain(Explain),
    /// Show what an offline model holds
    Inspect(Inspect),
    /// List the devices that ship with Sinter
    Devices,
    /// Measure this machine and write a device file
    Calibrate(Calibrate),
    /// Check the machine and the installation
    Doctor(Doctor),
}

/// A level at which the program can be printed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Emit {
    /// Operators, as imported and folded
    Graph,
    /// All ways to compute each value that the rules find, as JSON of egraph-serialize
    Egraph,
    /// Operators in groups
    Fused,
    /// Loop nests with schedules
    Tloop,
    /// Kernels and the planned program
    Npu,
    /// LLVM IR after optimisation
    Llvm,
    /// Assembly
    Asm,
}

impl From<Emit> for Level {
    fn from(emit: Emit) -> Self {
        match emit {
            Emit::Graph => Self::Graph,
            Emit::Egraph => Self::Egraph,
            Emit::Fused => Self::Fused,
            Emit::Tloop => Self::Tloop,
            Emit::Npu => Self::Npu,
            Emit::Llvm => Self::Llvm,
            Emit::Asm => Self::Asm,
        }
    }
}

/// How a model is compiled.
#[derive(Args, Debug, Clone)]
pub(crate) struct CompileArgs {
    /// Device to compile for: a name that `sinter devices` lists, or a TOML file
    #[arg(long, value_name = "NAME|FILE", default_value = "host")]
    pub(crate) device: String,
    /// How operators are grouped into kernels; `ilp` needs the cargo feature of that name
    #[arg(long, value_name = "POLICY", default_value = "egraph",
          value_parser = ["egraph", "ilp", "dp", "greedy", "postdom", "none"])]
    pub(crate) fusion: String,
    /// Shape of an input, for sizes that the model leaves open; may be given several times
    #[arg(long = "shape", value_name = "INPUT=1x3x640x640")]
    pub(crate) shapes: Vec<ShapeArg>,
    /// How far rewrites and lowerings may change results
    #[arg(long, value_name = "CLASS", default_value = "reassociating",
          value_parser = ["exact", "rounding", "reassociating", "approximate"])]
    pub(crate) numerics: String,
    /// Kernels that must or must not be, and rules that are not applied, by ONNX node: a TOML file
    /// (docs/control.md)
    #[arg(long, value_name = "FILE.toml")]
    pub(crate) fusion_config: Option<PathBuf>,
    /// Further rewrite rules in text, each checked before it is used (docs/rules.md)
    #[arg(long, value_name = "FILE")]
    pub(crate) fusion_rules: Option<PathBuf>,
    /// Kernels written by hand for operators that the model has, taken where they are cheaper: MLIR
    /// (docs/how-to.md)
    #[arg(long, value_name = "FILE.mlir")]
    pub(crate) own_kernels: Option<PathBuf>,
    /// What the choice of kernels minimises: time, bytes, kernels, or a TOML file of weights
    #[arg(long, value_name = "COST|FILE.toml", default_value = "time")]
    pub(crate) fusion_cost: String,
    /// Print the steps of equality saturation, and matches and time per rule, to standard error
    #[arg(long)]
    pub(crate) fusion_stats: bool,
    /// Print where the compile time went to standard error
    #[arg(long)]
    pub(crate) timing: bool,
    /// Threads that compile, as many as can run at once when absent; the result does not depend on them
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) jobs: Option<usize>,
}

impl CompileArgs {
    pub(crate) fn options(&self, threads: Option<usize>) -> CompileOptions {
        CompileOptions {
            device: self.device.clone(),
            fusion: self.fusion.clone(),
            shapes: self.shapes.clone(),
            numerics: self.numerics.clone(),
            fusion_config: self.fusion_config.clone(),
            fusion_rules: self.fusion_rules.clone(),
            own_kernels: self.own_kernels.clone(),
            fusion_cost: self.fusion_cost.clone(),
            threads,
            jobs: self.jobs,
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct Compile {
    /// Model to compile: ONNX, or MLIR at any level
    #[arg(value_name = "MODEL.onnx|FILE.mlir")]
    pub(crate) model: PathBuf,
    /// Where to write the offline model, or with --emit the text
    #[arg(
        short,
        long,
        value_name = "MODEL.sinter|FILE",
        required_unless_present = "emit"
    )]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) compile: CompileArgs,
    /// Print the program at a level instead, to standard output or the file of -o; as MLIR bytecode, weights
    /// included, where that file ends in .mlirbc
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(crate) emit: Option<Emit>,
    /// With --emit: print the data of weights too, so that the text can be read back
    #[arg(long, requires = "emit")]
    pub(crate) full: bool,
    /// Threads that the program will run on; only informs prices
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) threads: Option<usize>,
}

/// Where input values come from.
#[derive(Args, Debug)]
pub(crate) struct InputArgs {
    /// Value of an input from a NumPy file; may be given several times
    #[arg(long = "input", value_name = "NAME=FILE.npy")]
    pub(crate) inputs: Vec<String>,
    /// Fill the other inputs with random values from this seed
    #[arg(long, value_name = "SEED")]
    pub(crate) random_inputs: Option<u64>,
}

#[derive(Args, Debug)]
pub(crate) struct Run {
    /// Model: ONNX, offline model, or MLIR at any level
    #[arg(value_name = "MODEL.onnx|MODEL.sinter|FILE.mlir")]
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// Write each output as OUTPUT.npy into this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) output_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) compile: CompileArgs,
    /// Most threads that the run may use, of those that the processor runs at once
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) threads: Option<usize>,
    /// On a scratchpad device: complete each transfer as late as its wait allows
    #[arg(long)]
    pub(crate) adversarial: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Bench {
    /// Model: ONNX, MLIR or offline model
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) compile: CompileArgs,
    /// Most threads that a run may use, of those that the processor runs at once
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) threads: Option<usize>,
    /// Number of timed runs
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = at_least_one)]
    pub(crate) runs: usize,
    /// Time per kernel too
    #[arg(long)]
    pub(crate) kernels: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// How the decisions are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people, short
    Text,
    /// For programs, complete
    Json,
    /// One page with the graph drawn
    Html,
}

#[derive(Args, Debug)]
pub(crate) struct Explain {
    /// Model: ONNX, MLIR with `graph` operators, or offline model
    #[arg(value_name = "MODEL", required_unless_present_any = ["codes", "rules"])]
    pub(crate) model: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) compile: CompileArgs,
    /// Threads that the program will run on; only informs prices
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) threads: Option<usize>,
    /// How the decisions are written
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,
    /// Same as --format json
    #[arg(long, conflicts_with_all = ["format", "html"])]
    pub(crate) json: bool,
    /// Same as --format html -o FILE
    #[arg(long, value_name = "FILE", conflicts_with_all = ["format", "output"])]
    pub(crate) html: Option<PathBuf>,
    /// Where to write; standard output without it
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Every kernel and refusal, each with its thresholds
    #[arg(long)]
    pub(crate) all: bool,
    /// Only kernels and refusals of ONNX nodes whose names match
    #[arg(long, value_name = "GLOB")]
    pub(crate) node: Option<String>,
    /// Print the rules that lead from each operator to what it was rewritten to
    #[arg(long, conflicts_with_all = ["json", "html", "all"])]
    pub(crate) proof: bool,
    /// Print what to change in the model (layouts, operators, sizes) and what it would save
    #[arg(long, conflicts_with_all = ["html", "proof", "node"])]
    pub(crate) advice: bool,
    /// Print the codes of refusals
    #[arg(long, exclusive = true)]
    pub(crate) codes: bool,
    /// Print the rewrite rules
    #[arg(long, exclusive = true)]
    pub(crate) rules: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Inspect {
    /// Offline model
    #[arg(value_name = "MODEL.sinter")]
    pub(crate) model: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Calibrate {
    /// Where to write the device file; standard output when absent
    #[arg(short, long, value_name = "FILE.toml")]
    pub(crate) output: Option<PathBuf>,
    /// Threads to measure with, at most as many as the processor runs at once; so many when absent
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) threads: Option<usize>,
    /// Print what was measured as JSON
    #[arg(long, requires = "output")]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Doctor {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
