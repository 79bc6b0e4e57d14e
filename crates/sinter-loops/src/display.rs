//! A short text form of kernels, for messages and debugging.

use std::fmt;

use crate::kernel::{Kernel, Role};
use crate::nest::{Access, IterKind, Nest};
use crate::scalar::{Body, Inst};

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "kernel {}", self.name)?;
        for (n, slot) in self.slots.iter().enumerate() {
            let role = match slot.role {
                Role::Input => "input",
                Role::Constant => "constant",
                Role::Temporary => "temporary",
                Role::Output => "output",
            };
            write!(f, "  s{n}: {role} {}", slot.ty)?;
            match &slot.layout {
                Some(layout) => writeln!(f, " {layout}")?,
                None => writeln!(f)?,
            }
        }
        self.stages
            .iter()
            .try_for_each(|stage| write!(f, "{stage}"))
    }
}

impl fmt::Display for Nest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.contract {
            "  contract"
        } else {
            "  nest"
        })?;
        for (n, iter) in self.iters.iter().enumerate() {
            let mark = if iter.kind == IterKind::Reduction {
                "+"
            } else {
                ""
            };
            write!(f, " d{n}{mark}<{}", iter.extent)?;
        }
        writeln!(f)?;
        write_part(f, "read", &self.reads, &self.body)?;
        for combine in &self.combines {
            writeln!(
                f,
                "    combine {:?} from {}",
                combine.function,
                combine.init.get()
            )?;
        }
        if !self.finish.is_identity() {
            write_part(f, "finish read", &self.finish_reads, &self.finish)?;
        }
        self.writes
            .iter()
            .try_for_each(|w| writeln!(f, "    write {w}"))
    }
}

fn write_part(
    f: &mut fmt::Formatter<'_>,
    word: &str,
    reads: &[Access],
    body: &Body,
) -> fmt::Result {
    let first = body.args.len() - reads.len();
    for (n, read) in reads.iter().enumerate() {
        writeln!(f, "    {word} %{} = {read}", first + n)?;
    }
    for (n, inst) in body.insts.iter().enumerate() {
        match inst {
            Inst::Const(ty, value) => {
                writeln!(f, "    %{} = {} : {ty}", body.args.len() + n, value.get())?;
            }
            inst => writeln!(f, "    %{} = {inst:?}", body.args.len() + n)?,
        }
    }
    writeln!(f, "    results {:?}", body.results)
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s{}[", self.operand)?;
        for (n, index) in self.index.iter().enumerate() {
            write!(f, "{}{index}", if n == 0 { "" } else { ", " })?;
        }
        f.write_str("]")?;
        match self.pad {
            Some(pad) => write!(f, " pad {}", pad.get()),
            None => Ok(()),
        }
    }
}
