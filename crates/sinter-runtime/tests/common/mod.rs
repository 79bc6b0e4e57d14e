//! Manifests for test kernels that are linked into the test.

#![allow(dead_code, reason = "each test file uses a part")]

use sinter_model::{
    Container, Kernel, Manifest, Port, Record, Space, Statistics, Target, Weights, to_bytes,
};
use sinter_runtime::{KernelFn, Model};

pub(crate) fn port(name: &str, elements: i64) -> Port {
    Port {
        name: name.into(),
        element: "f32".into(),
        shape: vec![elements.into()],
    }
}

pub(crate) fn kernel(symbol: &str, inputs: u32, outputs: u32) -> Kernel {
    Kernel {
        symbol: symbol.into(),
        origins: vec![format!("node/{symbol}")],
        core: "vector".into(),
        inputs,
        outputs,
        in_place: Vec::new(),
        disjoint: Vec::new(),
        read_bytes: 0,
        written_bytes: 0,
        flops: 0,
        price_ns: 0.0,
        parallel: true,
    }
}

pub(crate) fn manifest(
    ports: (Vec<Port>, Vec<Port>),
    kernels: Vec<Kernel>,
    program: Vec<Record>,
    spaces: Vec<Space>,
) -> Manifest {
    Manifest {
        format: sinter_model::FORMAT_VERSION,
        model: "test".into(),
        device: "test".into(),
        target: Target {
            arch: std::env::consts::ARCH.into(),
            ..Target::default()
        },
        inputs: ports.0,
        outputs: ports.1,
        symbols: Vec::new(),
        arena_bytes: (1 << 16).into(),
        scratch_bytes: 4096,
        spaces,
        kernels,
        program,
        decisions: serde_json::Value::Null,
        statistics: Statistics::default(),
    }
}

/// Loads a manifest whose kernels are `functions`.
pub(crate) fn load(manifest: &Manifest, weights: &Weights, functions: Vec<KernelFn>) -> Model {
    let bytes = to_bytes(manifest, b"", weights.bytes()).unwrap();
    let container = Container::from_bytes(&bytes).unwrap();
    // SAFETY: The tests' kernels keep to the buffers of the tests' programs.
    unsafe { Model::with_kernels(container, functions) }.unwrap()
}

pub(crate) fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_ne_bytes()).collect()
}

pub(crate) fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes
        .chunks_exact(4)
        .map(|c| f32::from_ne_bytes(c.try_into().unwrap()))
        .collect()
}
