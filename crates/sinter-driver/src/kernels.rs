//! The kernels of a planned module, split for code generation.

use std::collections::BTreeMap;

use sinter_codegen::KernelAbi;
use sinter_conversion::npu_to_func::SPACES;
use sinter_ir::error::IrError;
use sinter_ir::melior::ir::operation::{OperationLike, OperationRef};
use sinter_ir::melior::ir::{BlockLike, Location, Module};
use sinter_ir::rewrite::clone_into;
use sinter_ir::{Context, attr};

/// Up to `parts` modules that share the kernels evenly, with how each is called.
pub(crate) fn kernel_modules<'c>(
    context: &'c Context,
    module: &Module<'c>,
    parts: usize,
) -> Result<Vec<(Module<'c>, Vec<KernelAbi>)>, IrError> {
    let kernels = kernels(module);
    let parts = parts.clamp(1, kernels.len().max(1));
    let mut out: Vec<_> = (0..parts)
        .map(|_| (Module::new(Location::unknown(context)), Vec::new()))
        .collect();
    for (i, kernel) in kernels.into_iter().enumerate() {
        let (part, abi) = &mut out[i % parts];
        abi.push(describe(kernel)?);
        clone_into(kernel, part.body());
    }
    Ok(out)
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

fn describe(kernel: OperationRef<'_, '_>) -> Result<KernelAbi, IrError> {
    let int = |key: &str| {
        kernel
            .attribute(key)
            .ok()
            .and_then(attr::as_int)
            .unwrap_or(0)
            .max(0)
    };
    let symbol = kernel.attribute("sym_name").ok().and_then(attr::as_str);
    let symbol = symbol.ok_or_else(|| IrError::Missing("a kernel has no name".into()))?;
    let pairs = kernel
        .attribute("in_place")
        .ok()
        .and_then(attr::as_ints)
        .unwrap_or_default();
    Ok(KernelAbi {
        symbol: symbol.to_owned(),
        buffers: (int("inputs") + int("outputs")) as usize,
        temporaries: vec![0],
        in_place: pairs
            .chunks_exact(2)
            .map(|p| (p[0] as usize, p[1] as usize))
            .collect(),
    })
}
