//! What makes functions and modules smaller: symbols that nobody names, results, arguments.
//!
//! Functions and kernels that others refer to keep their types. Once the references are gone, they become
//! smaller too.

use std::collections::BTreeSet;
use std::ops::Range;

use melior::ir::attribute::{ArrayAttribute, TypeAttribute};
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef, OperationRefMut};
use melior::ir::r#type::FunctionType;
use melior::ir::{AttributeLike, BlockLike, BlockRef, Module, RegionLike, Type, Value, ValueLike};
use sinter_ir::attr;
use sinter_ir::build::lasting;
use sinter_ir::graph::op_name;
use sinter_ir::rewrite::{context_of, erase, replace_all_uses};
use sinter_ir::walk::operations;
use sinter_sys::shim::text;

use crate::reductions::is_used;
use crate::search::all_operations;

/// Symbols of a module that nothing refers to.
pub(crate) fn unreferenced<'c, 'a>(module: &'a Module<'c>) -> Vec<OperationRef<'c, 'a>> {
    let named: BTreeSet<String> = all_operations(module)
        .into_iter()
        .flat_map(references)
        .collect();
    let mut symbols = operations(module.body());
    symbols.retain(|op| symbol(*op).is_some_and(|name| !named.contains(&name)));
    symbols
}

fn symbol(op: OperationRef<'_, '_>) -> Option<String> {
    let name = op.attribute("sym_name").ok().and_then(attr::as_str);
    name.map(str::to_owned)
}

/// Symbols that an operation names in its own attributes.
fn references(op: OperationRef<'_, '_>) -> Vec<String> {
    let mut out = Vec::new();
    for (_, attribute) in op.attributes() {
        let raw = attribute.to_raw();
        // SAFETY: the attribute is alive, and asked for its root only when it is a reference.
        let root = unsafe {
            mlir_sys::mlirAttributeIsASymbolRef(raw)
                .then(|| text(mlir_sys::mlirSymbolRefAttrGetRootReference(raw)))
        };
        out.extend(root.map(str::to_owned));
    }
    out
}

/// Erases those symbols in a range of [`unreferenced`] that are not the module's last operation.
pub(crate) fn drop_symbols(module: &Module<'_>, range: Range<usize>) -> bool {
    let found = unreferenced(module);
    let range = clip(range, found.len());
    if range.is_empty() || operations(module.body()).len() <= range.len() {
        return false;
    }
    found[range].iter().for_each(|op| erase(*op));
    true
}

/// A function or kernel whose type may change.
#[derive(Clone, Copy)]
struct Open<'c, 'a> {
    op: OperationRef<'c, 'a>,
    block: BlockRef<'c, 'a>,
    end: OperationRef<'c, 'a>,
}

fn open<'c, 'a>(module: &'a Module<'c>) -> Vec<Open<'c, 'a>> {
    let functions = unreferenced(module).into_iter().filter_map(|op| {
        let typed = ["func.func", "tloop.kernel"].contains(&op_name(op).as_str());
        let block = op.region(0).ok()?.first_block()?;
        let end = operations(block).pop()?;
        typed.then_some(Open { op, block, end })
    });
    functions.collect()
}

impl<'c, 'a> Open<'c, 'a> {
    /// What it could give instead of its results: each result of each operation, in order.
    fn values(self) -> Vec<Value<'c, 'a>> {
        let mut ops = operations(self.block);
        ops.pop();
        ops.retain(|op| !op_name(*op).ends_with(".constant"));
        ops.iter()
            .flat_map(|op| op.results().map(lasting).collect::<Vec<_>>())
            .collect()
    }

    /// Gives these values instead of its results.
    fn give(self, values: &[Value<'c, 'a>]) {
        let raw: Vec<_> = values.iter().map(|v| v.to_raw()).collect();
        // SAFETY: the values are defined before the block's end, which is alive.
        unsafe {
            mlir_sys::mlirOperationSetOperands(self.end.to_raw(), raw.len() as isize, raw.as_ptr());
        }
        self.without("res_attrs");
        self.retype();
    }

    /// Makes the type that of the arguments and of what is returned.
    fn retype(self) {
        let inputs: Vec<Type<'c>> = (0..self.block.argument_count())
            .filter_map(|i| self.block.argument(i).ok().map(|a| a.r#type()))
            .collect();
        let results: Vec<Type<'c>> = self.end.operands().map(|v| v.r#type()).collect();
        let context = context_of(self.op);
        let ty = TypeAttribute::new(FunctionType::new(context, &inputs, &results).into());
        // SAFETY: nothing else refers to the operation while its attribute is set.
        let mut op = unsafe { OperationRefMut::from_raw(self.op.to_raw()) };
        op.set_attribute("function_type", ty.into());
    }

    fn without(self, name: &str) {
        if self.op.has_attribute(name) {
            // SAFETY: nothing else refers to the operation while its attribute is removed.
            let mut op = unsafe { OperationRefMut::from_raw(self.op.to_raw()) };
            let _ = op.remove_attribute(name);
        }
    }

    /// Keeps the argument attributes of some arguments, then adds `more` empty ones.
    fn argument_attributes(self, keep: impl Fn(usize) -> bool, more: usize) {
        let Some(known) = self.op.attribute("arg_attrs").ok().and_then(attr::as_array) else {
            return;
        };
        let context = context_of(self.op);
        let Some(empty) = melior::ir::Attribute::parse(context, "{}") else {
            return;
        };
        let kept = known.into_iter().enumerate().filter(|(i, _)| keep(*i));
        let mut all: Vec<_> = kept.map(|(_, a)| a).collect();
        all.extend(std::iter::repeat_n(empty, more));
        // SAFETY: nothing else refers to the operation while its attribute is set.
        let mut op = unsafe { OperationRefMut::from_raw(self.op.to_raw()) };
        op.set_attribute("arg_attrs", ArrayAttribute::new(context, &all).into());
    }
}

/// How many values the functions could end with.
pub(crate) fn ends(module: &Module<'_>) -> usize {
    open(module).into_iter().map(|f| f.values().len()).sum()
}

/// Makes the function that has a value give that value only.
pub(crate) fn end_at(module: &Module<'_>, mut place: usize) -> bool {
    for function in open(module) {
        let values = function.values();
        if let Some(&value) = values.get(place) {
            let same = function.end.operand_count() == 1
                && function.end.operand(0).is_ok_and(|v| v == value);
            if !same {
                function.give(&[value]);
            }
            return !same;
        }
        place -= values.len();
    }
    false
}

/// How many results the functions have, where there is more than one.
pub(crate) fn results(module: &Module<'_>) -> usize {
    let counts = open(module).into_iter().map(|f| f.end.operand_count());
    counts.filter(|&n| n > 1).sum()
}

/// Drops a range of the results.
pub(crate) fn drop_results(module: &Module<'_>, range: Range<usize>) -> bool {
    let mut first = 0;
    let mut changed = false;
    for function in open(module) {
        let count = function.end.operand_count();
        if count < 2 {
            continue;
        }
        let gone = |i: &usize| range.contains(&(first + i));
        let kept: Vec<_> = (0..count)
            .filter(|i| !gone(i))
            .filter_map(|i| function.end.operand(i).ok())
            .collect();
        if !kept.is_empty() && kept.len() < count {
            function.give(&kept);
            changed = true;
        }
        first += count;
    }
    changed
}

/// Operations of functions whose results could be arguments.
fn sources<'c, 'a>(module: &'a Module<'c>) -> Vec<(Open<'c, 'a>, OperationRef<'c, 'a>)> {
    let functions = open(module).into_iter();
    let functions = functions.filter(|f| op_name(f.op) == "func.func");
    let mut out = Vec::new();
    for function in functions {
        let mut ops = operations(function.block);
        ops.pop();
        ops.retain(|op| op.result_count() > 0 && !op_name(*op).ends_with(".constant"));
        out.extend(ops.into_iter().map(|op| (function, op)));
    }
    out
}

/// How many operations could become arguments.
pub(crate) fn source_count(module: &Module<'_>) -> usize {
    sources(module).len()
}

/// Makes the results of a range of operations arguments of their function. Those that nothing after the
/// range uses go with the operations.
pub(crate) fn to_arguments(module: &Module<'_>, range: Range<usize>) -> bool {
    let sources = sources(module);
    let range = clip(range, sources.len());
    for (function, op) in sources[range.clone()].iter().rev() {
        let used: Vec<_> = op.results().filter(is_used).collect();
        for result in &used {
            let argument = function.block.add_argument(result.r#type(), op.location());
            replace_all_uses(lasting(*result), argument);
        }
        function.argument_attributes(|_| true, used.len());
        function.retype();
        erase(*op);
    }
    !range.is_empty()
}

/// How many arguments the functions have that nothing uses.
pub(crate) fn unused_arguments(module: &Module<'_>) -> usize {
    let functions = open(module).into_iter();
    functions.map(|f| unused(f).len()).sum()
}

fn unused(function: Open<'_, '_>) -> Vec<usize> {
    if op_name(function.op) != "func.func" {
        return Vec::new();
    }
    let is_unused = |i: &usize| function.block.argument(*i).is_ok_and(|a| !is_used(&a));
    (0..function.block.argument_count())
        .filter(is_unused)
        .collect()
}

/// Drops a range of the arguments that nothing uses.
pub(crate) fn drop_arguments(module: &Module<'_>, range: Range<usize>) -> bool {
    let mut first = 0;
    for function in open(module) {
        let unused = unused(function);
        let gone: Vec<usize> = (0..unused.len())
            .filter(|i| range.contains(&(first + i)))
            .map(|i| unused[i])
            .collect();
        function.argument_attributes(|i| !gone.contains(&i), 0);
        for &i in gone.iter().rev() {
            // SAFETY: nothing uses the argument.
            unsafe { function.block.erase_argument(i) };
        }
        function.retype();
        first += unused.len();
    }
    first > 0
}

fn clip(range: Range<usize>, count: usize) -> Range<usize> {
    range.start.min(count)..range.end.min(count)
}
