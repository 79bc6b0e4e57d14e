//! Scaffolding: writes the files that a new operator, rule, pass, device or dialect needs, with a failing
//! test to fill in, and registers it.
//!
//! | module | holds |
//! |---|---|
//! | `name` | names in the cases that files need |
//! | `tree` | the working tree: new files, lines put at their place |
//! | `new_*` | one kind of thing each |

mod name;
mod new_device;
mod new_dialect;
mod new_op;
mod new_pass;
mod new_rule;
mod tree;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::name::Name;
use crate::tree::Tree;

/// Writes the files that something new needs, with a failing test to fill in, and registers it
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    /// The working tree
    #[arg(long, global = true, default_value = ".", value_name = "DIR")]
    root: PathBuf,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// An operator of `graph`: a TableGen entry, a Rust file, two lit cases
    #[command(name = "new-op")]
    Op {
        /// Name, as in IR: `leaky_relu`
        name: Name,
    },
    /// A pass: a Rust file, a `mod` line, a registry line, a lit folder
    #[command(name = "new-pass")]
    Pass {
        /// Name, as in pipelines: `graph-simplify`; `convert-X-to-Y` becomes a conversion
        name: Name,
    },
    /// A rewrite rule, with an example that its randomised check runs on
    #[command(name = "new-rule")]
    Rule {
        /// Topic: a file of `crates/sinter-fusion/src/rules`, made where there is none
        topic: Name,
        /// Name: `silu-from-product`
        name: Name,
    },
    /// A device file, after one that ships
    #[command(name = "new-device")]
    Device {
        /// Name: `ascend-910b`
        name: Name,
        /// The device whose file is the start
        #[arg(long, default_value = "host")]
        like: Name,
    },
    /// A dialect, as a crate of its own with tools and a plugin
    #[command(name = "new-dialect")]
    Dialect {
        /// Name, as in IR
        name: Name,
        /// Folder of the crate
        #[arg(long, value_name = "DIR")]
        path: PathBuf,
    },
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut tree = Tree::new(cli.root);
    let made = match cli.command {
        Command::Op { name } => new_op::run(&mut tree, &name),
        Command::Pass { name } => new_pass::run(&mut tree, &name),
        Command::Rule { topic, name } => new_rule::run(&mut tree, &topic, &name),
        Command::Device { name, like } => new_device::run(&mut tree, &name, &like),
        Command::Dialect { name, path } => new_dialect::run(&mut tree, &name, &path),
    };
    match made.and_then(|next| tree.write().map(|written| (written, next))) {
        Ok((written, next)) => {
            for path in written {
                println!("{path}");
            }
            println!("next: {next}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
