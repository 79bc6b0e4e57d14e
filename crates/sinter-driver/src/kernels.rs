//! The kernels of a planned module, split for code generation.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use sinter_codegen::KernelAbi;
use sinter_conversion::npu_to_func::SPACES;
use sinter_ir::attr;
use sinter_ir::build::value_key;
use sinter_ir::error::IrError;
use sinter_ir::melior::ir::operation::{OperationLike, OperationRef};
use sinter_ir::melior::ir::{
    AttributeLike, BlockLike, Location, Module, RegionLike, TypeLike, Value, ValueLike,
};
use sinter_ir::rewrite::{clone_into, context_of};

/// Some of a module's kernels, as data that any thread can take.
pub(crate) struct Part {
    /// Its place among the parts.
    pub(crate) number: usize,
    /// A module with the kernels.
    pub(crate) bytecode: Vec<u8>,
    /// How each kernel is called.
    pub(crate) kernels: Vec<KernelAbi>,
}

/// A planned module's kernels, taken apart for code generation.
pub(crate) struct Code {
    /// Kernels that differ, shared evenly.
    pub(crate) parts: Vec<Part>,
    /// Symbols of other kernels, with the kernel whose code they have.
    pub(crate) aliases: Vec<(String, String)>,
}

/// Takes the kernels of a module apart into up to `parts` parts. Of kernels that differ by nothing but
/// their names, origins and prices only the first is in a part.
pub(crate) fn split(module: &Module<'_>, parts: usize) -> Result<Code, IrError> {
    let mut code = Code {
        parts: Vec::new(),
        aliases: Vec::new(),
    };
    let mut first = BTreeMap::new();
    let mut different = Vec::new();
    for kernel in kernels(module) {
        let symbol = symbol(kernel)?;
        match first.entry(code_key(kernel)) {
            Entry::Vacant(entry) => {
                entry.insert(symbol);
                different.push(kernel);
            }
            Entry::Occupied(entry) => code.aliases.push((symbol, entry.get().clone())),
        }
    }
    let parts = parts.clamp(1, different.len().max(1));
    let context = context_of(module.as_operation());
    for number in 0..parts {
        let part = Module::new(Location::unknown(context));
        let mut abi = Vec::new();
        for &kernel in different.iter().skip(number).step_by(parts) {
            abi.push(describe(kernel)?);
            clone_into(kernel, part.body());
        }
        code.parts.push(Part {
            number,
            bytecode: part.as_operation().write_bytecode(),
            kernels: abi,
        });
    }
    Ok(code)
}

/// Attributes of a kernel that its code does not depend on.
const NOT_CODE: [&str; 2] = ["sym_name", "price_ns"];

/// A kernel as numbers that are the same for kernels with the same code. Names, types and attributes
/// are unique in their context, so that their addresses stand for them; they order nothing.
fn code_key(kernel: OperationRef<'_, '_>) -> Vec<usize> {
    let mut key = CodeKey::default();
    key.attributes(kernel, &NOT_CODE);
    key.regions(kernel);
    key.key
}

#[derive(Default)]
struct CodeKey {
    key: Vec<usize>,
    values: BTreeMap<usize, usize>,
}

impl CodeKey {
    fn operation(&mut self, op: OperationRef<'_, '_>) {
        self.key.push(op.name().to_raw().ptr as usize);
        self.key.push(op.operand_count());
        for operand in op.operands() {
            let number = self.values.get(&value_key(operand));
            self.key.push(number.copied().unwrap_or(usize::MAX));
        }
        self.key.push(op.result_count());
        for result in op.results() {
            self.value(result.into());
        }
        self.attributes(op, &[]);
        self.regions(op);
    }

    fn attributes(&mut self, op: OperationRef<'_, '_>, without: &[&str]) {
        for (name, value) in op.attributes() {
            let known = name.as_string_ref().as_str();
            if !known.is_ok_and(|name| without.contains(&name)) {
                self.key.push(name.to_raw().ptr as usize);
                self.key.push(value.to_raw().ptr as usize);
            }
        }
    }

    fn regions(&mut self, op: OperationRef<'_, '_>) {
        self.key.push(op.region_count());
        for region in op.regions() {
            let blocks = std::iter::successors(region.first_block(), |b| b.next_in_region());
            for block in blocks {
                self.key.push(block.argument_count());
                for argument in (0..block.argument_count()).filter_map(|n| block.argument(n).ok()) {
                    self.value(argument.into());
                }
                let ops = std::iter::successors(block.first_operation(), |op| op.next_in_block());
                for op in ops {
                    self.operation(op);
                }
                self.key.push(usize::MAX);
            }
        }
    }

    /// A new value: its type, and a number by which operands name it.
    fn value(&mut self, value: Value<'_, '_>) {
        let number = self.values.len();
        self.values.insert(value_key(value), number);
        self.key.push(value.r#type().to_raw().ptr as usize);
    }
}

/// The most bytes of each space that a kernel of the module uses.
pub(crate) fn scratch(module: &Module<'_>) -> BTreeMap<&'static str, u64> {
    let mut out = BTreeMap::new();
    for kernel in kernels(module) {
        for name in SPACES {
            let bytes = kernel
                .attribute("scratch")
                .ok()
                .and_then(|d| attr::entry(d, name));
            let bytes = bytes.and_then(attr::as_int).unwrap_or(0).max(0) as u64;
            let most = out.entry(name).or_insert(0);
            *most = bytes.max(*most);
        }
    }
    out
}

fn kernels<'c, 'a>(module: &'a Module<'c>) -> Vec<OperationRef<'c, 'a>> {
    let ops = std::iter::successors(module.body().first_operation(), |op| op.next_in_block());
    ops.filter(|op| op.name().as_string_ref().as_str() == Ok("npu.kernel"))
        .collect()
}

fn symbol(kernel: OperationRef<'_, '_>) -> Result<String, IrError> {
    let symbol = kernel.attribute("sym_name").ok().and_then(attr::as_str);
    symbol
        .map(str::to_owned)
        .ok_or_else(|| IrError::Missing("a kernel has no name".into()))
}

fn describe(kernel: OperationRef<'_, '_>) -> Result<KernelAbi, IrError> {
    let int = |key: &str| {
        kernel
            .attribute(key)
            .ok()
            .and_then(attr::as_int)
            .unwrap_or(0)
            .max(0)
    };
    Ok(KernelAbi {
        symbol: symbol(kernel)?,
        buffers: (int("inputs") + int("outputs")) as usize,
        temporaries: vec![0],
        in_place: attr::pairs(kernel, "in_place"),
    })
}
