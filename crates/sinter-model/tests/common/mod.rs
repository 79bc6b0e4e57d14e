//! A small model that uses every kind of record and buffer.

use sinter_model::{
    BufferRef, Extent, InPlace, Kernel, Manifest, Port, Record, Space, Statistics, Symbol, Target,
    Weights,
};

pub(crate) fn port(name: &str, shape: Vec<Extent>) -> Port {
    Port {
        name: name.into(),
        element: "f32".into(),
        shape,
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
        read_bytes: 64,
        written_bytes: 64,
        flops: 16,
        price_ns: 12.5,
        parallel: true,
    }
}

pub(crate) fn launch(kernel: u32, args: Vec<BufferRef>) -> Record {
    Record::Launch {
        kernel,
        args,
        dims: vec![Extent::symbol(0, 1)],
        blocks: 4.into(),
    }
}

pub(crate) fn arena(offset: Extent, bytes: Extent) -> BufferRef {
    BufferRef::Arena { offset, bytes }
}

/// The model and its weights.
pub(crate) fn model() -> (Manifest, Weights) {
    let mut weights = Weights::new();
    let bias = weights.push(&[1; 100]);
    let scale = weights.push(&[2; 64]);
    let rows = Extent::symbol(0, 64);
    let first = arena(0.into(), rows.clone());
    let second = arena(rows.clone(), rows.clone());
    let mut add = kernel("add", 2, 1);
    add.in_place.push(InPlace {
        input: 0,
        output: 2,
    });
    let manifest = Manifest {
        format: sinter_model::FORMAT_VERSION,
        model: "small".into(),
        device: "host".into(),
        target: Target {
            arch: "x86_64".into(),
            cpu: "any".into(),
            features: vec!["sse2".into()],
        },
        inputs: vec![port("x", vec![Extent::symbol(0, 1), 16.into()])],
        outputs: vec![
            port("y", vec![Extent::symbol(0, 1), 16.into()]),
            port("z", vec![16.into()]),
        ],
        symbols: vec![Symbol {
            name: "n".into(),
            min: 1,
            max: 8,
        }],
        arena_bytes: Extent::symbol(0, 128),
        scratch_bytes: 4096,
        spaces: vec![Space {
            name: "ub".into(),
            index: 5,
            bytes: 1024,
        }],
        kernels: vec![add, kernel("relu", 1, 1)],
        program: vec![
            launch(0, vec![BufferRef::Input(0), bias, first.clone()]),
            Record::Copy {
                source: scale,
                destination: BufferRef::Output(1),
            },
            Record::Barrier,
            Record::Loop {
                count: 3.into(),
                body: vec![launch(1, vec![first.clone(), second.clone()])],
            },
            Record::If {
                condition: first.clone(),
                then_body: vec![launch(1, vec![second, BufferRef::Output(0)])],
                else_body: vec![Record::Copy {
                    source: first,
                    destination: BufferRef::Output(0),
                }],
            },
        ],
        decisions: serde_json::json!({"groups": []}),
        statistics: Statistics {
            operators: 4,
            kernels: 2,
            ..Statistics::default()
        },
    };
    (manifest, weights)
}
