//! Runs fused programs kernel by kernel with the interpreter.
#![allow(dead_code, unreachable_pub)]

use std::collections::BTreeMap;
use std::path::PathBuf;

use sinter_device::{Device, HostCpu};
use sinter_fusion::{Fused, Group, Options, Policy, fuse};
use sinter_loops::interp;
use sinter_loops::kernel::{Kernel, Layout, Role};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;
use sinter_ops::{Graph, Operator, ValueId};

/// The repository's root.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A program fused for a CPU with AVX2.
pub fn fused(graph: &Graph, policy: Policy) -> Fused {
    let device = Device::named("host").unwrap();
    let device = device.with_host_cpu(HostCpu::AVX2);
    let options = Options {
        policy,
        ..Options::default()
    };
    fuse(graph, &device, &options).unwrap()
}

/// Outputs of a fused program. Values are kept in their logical shape; each kernel runs on physical
/// tensors.
pub fn run(fused: &Fused, inputs: &[Tensor]) -> Vec<Tensor> {
    run_with(fused, inputs, &interp::run)
}

/// Outputs of a kernel from its inputs and constants.
pub type Runner<'a> = dyn Fn(&Kernel, &[Tensor]) -> Vec<Tensor> + 'a;

/// As [`run`], with another way to run a kernel.
pub fn run_with(fused: &Fused, inputs: &[Tensor], runner: &Runner<'_>) -> Vec<Tensor> {
    let graph = &fused.graph;
    let mut values: BTreeMap<ValueId, Tensor> = graph
        .inputs
        .iter()
        .map(|i| i.1)
        .zip(inputs.iter().cloned())
        .collect();
    values.extend(graph.constants().map(|(v, t)| (v, t.clone())));
    for placement in &fused.placements {
        let ty = graph.ty(placement.whole).clone();
        let zeros = vec![0.0; ty.elements() as usize];
        values.insert(placement.whole, Tensor::from_f64s(ty, &zeros));
    }
    for group in &fused.groups {
        for &value in &group.inputs {
            view(fused, value, &mut values);
        }
        run_group(fused, group, &mut values, runner);
    }
    graph
        .outputs
        .iter()
        .map(|(_, value)| {
            view(fused, *value, &mut values);
            values[value].clone()
        })
        .collect()
}

/// Makes a view's value from its source, after checking that their bytes are the same.
fn view(fused: &Fused, value: ValueId, values: &mut BTreeMap<ValueId, Tensor>) {
    let Some(view) = fused.views.iter().find(|v| v.value == value) else {
        return;
    };
    let Some(source) = view.of else { return };
    self::view(fused, source, values);
    let graph = &fused.graph;
    let node = &graph.nodes[view.node.0 as usize];
    let result = node.op.eval(&[values[&source].clone()]).unwrap().remove(0);
    assert_eq!(
        stored(fused, value, &result).bytes(),
        stored(fused, source, &values[&source]).bytes(),
        "{:?} is no view",
        node.op
    );
    values.insert(value, result);
}

/// A value as it lies in memory.
fn stored(fused: &Fused, value: ValueId, tensor: &Tensor) -> Tensor {
    match fused.layouts.get(&value) {
        Some(layout) => layout.pack(tensor),
        None => tensor.clone(),
    }
}

fn run_group(
    fused: &Fused,
    group: &Group,
    values: &mut BTreeMap<ValueId, Tensor>,
    runner: &Runner<'_>,
) {
    let graph = &fused.graph;
    let kernel = &group.kernel;
    kernel
        .verify()
        .unwrap_or_else(|e| panic!("{}: {e}", kernel.name));
    assert!(kernel.schedule.is_some());
    let whole = |value: ValueId| {
        fused
            .placements
            .iter()
            .find(|p| p.part == value)
            .map_or(value, |p| p.whole)
    };
    let arguments: Vec<_> = kernel
        .arguments()
        .zip(&group.inputs)
        .map(|(s, &value)| {
            let slot = &kernel.slots[s];
            let constant = graph.as_constant(value).is_some();
            assert_eq!(constant, slot.role == Role::Constant);
            let logical = &values[&whole(value)];
            let packed = match &slot.layout {
                Some(layout) => layout.pack(logical),
                None => logical.clone(),
            };
            packed.reshaped(slot.ty.shape.clone())
        })
        .collect();
    let results = runner(kernel, &arguments);
    let outputs: Vec<_> = kernel.slots_of(Role::Output).collect();
    assert_eq!(outputs.len(), group.outputs.len());
    for ((s, result), &value) in outputs.iter().zip(results).zip(&group.outputs) {
        let stored = whole(value);
        let ty = graph.ty(stored);
        let logical = unpack(&result, kernel.slots[*s].layout.as_ref(), ty);
        let Some(placement) = fused.placements.iter().find(|p| p.part == value) else {
            values.insert(value, logical);
            continue;
        };
        let part = &graph.ty(value).shape;
        let merged = insert(&values[&stored], &logical, &placement.offset, part);
        values.insert(stored, merged);
    }
}

fn unpack(physical: &Tensor, layout: Option<&Layout>, ty: &TensorType) -> Tensor {
    match layout {
        Some(layout) => layout.unpack(
            &physical.reshaped(layout.physical_shape(&ty.shape)),
            &ty.shape,
        ),
        None => physical.reshaped(ty.shape.clone()),
    }
}

/// `whole` with the box at `offset` taken from `from`.
fn insert(whole: &Tensor, from: &Tensor, offset: &[i64], part: &[i64]) -> Tensor {
    let ty = whole.ty().clone();
    let strides = ty.strides();
    let inside = |at: usize| {
        (0..part.len()).all(|d| {
            let i = at as i64 / strides[d] % ty.shape[d];
            i >= offset[d] && i < offset[d] + part[d]
        })
    };
    let values: Vec<_> = (0..ty.elements() as usize)
        .map(|at| {
            if inside(at) {
                from.get_f64(at)
            } else {
                whole.get_f64(at)
            }
        })
        .collect();
    Tensor::from_f64s(ty, &values)
}

/// Largest difference between two tensors, over the largest finite reference value; infinite where one
/// has an infinity or NaN that the other does not have.
pub fn relative_error(result: &Tensor, expected: &Tensor) -> f64 {
    assert_eq!(result.ty(), expected.ty());
    let (a, b) = (result.to_f64s(), expected.to_f64s());
    let finite = b.iter().filter(|x| x.is_finite());
    let largest = finite.fold(1e-30, |m: f64, x| m.max(x.abs()));
    let difference = |(x, y): (&f64, &f64)| match (x - y).abs() {
        _ if x == y || (x.is_nan() && y.is_nan()) => 0.0,
        finite if finite.is_finite() => finite,
        _ => f64::INFINITY,
    };
    a.iter().zip(&b).map(difference).fold(0.0, f64::max) / largest
}

/// Seeded inputs of a graph.
pub fn random_inputs(graph: &Graph, seed: u64) -> Vec<Tensor> {
    graph
        .inputs
        .iter()
        .map(|(name, value)| sinter_loops::random::tensor(graph.ty(*value), name, seed))
        .collect()
}
