//! Convolutions as scheduled kernels, built by hand.

use sinter_loops::affine::Affine;
use sinter_loops::kernel::{GridAxis, Kernel, Role, Schedule, Slot, StageSchedule};
use sinter_loops::nest::{Access, Combine, CombineFn, Iter, Nest};
use sinter_loops::scalar::{BinaryFn, Body, FloatBits, Inst};
use sinter_loops::types::{ElementType, TensorType};

/// A convolution on one image, channels last.
#[derive(Clone, Copy)]
pub(crate) struct Conv {
    pub(crate) name: &'static str,
    /// Input height and width.
    pub(crate) size: i64,
    pub(crate) inputs: i64,
    pub(crate) outputs: i64,
    pub(crate) window: i64,
    pub(crate) stride: i64,
    pub(crate) pad: i64,
    pub(crate) residual: bool,
    pub(crate) relu: bool,
}

impl Conv {
    pub(crate) fn out_size(&self) -> i64 {
        (self.size + 2 * self.pad - self.window) / self.stride + 1
    }

    /// Operations on pixels inside the image.
    pub(crate) fn flops(&self) -> f64 {
        let inside = |out: i64| {
            let first = out * self.stride - self.pad;
            (first..first + self.window)
                .filter(|x| (0..self.size).contains(x))
                .count() as i64
        };
        let taps: i64 = (0..self.out_size()).map(inside).sum();
        (2 * taps * taps * self.inputs * self.outputs) as f64
    }
}

/// A register tile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tile {
    pub(crate) rows: i64,
    pub(crate) vectors: i64,
    pub(crate) lanes: i64,
    pub(crate) unroll: i64,
}

fn slot(role: Role, shape: &[i64]) -> Slot {
    Slot {
        ty: TensorType::f32(shape),
        role,
        layout: None,
    }
}

fn access(operand: usize, index: Vec<Affine>) -> Access {
    Access {
        operand,
        index,
        pad: None,
    }
}

fn it(i: usize) -> Affine {
    Affine::Iter(i)
}

fn sum(a: Affine, b: Affine) -> Affine {
    Affine::Add(Box::new(a), Box::new(b))
}

fn times(a: Affine, c: i64) -> Affine {
    if c == 1 {
        a
    } else {
        Affine::Mul(Box::new(a), c)
    }
}

/// `stride * out + tap - pad`.
fn window(out: usize, tap: usize, conv: &Conv) -> Affine {
    let moved = sum(times(it(out), conv.stride), it(tap));
    if conv.pad == 0 {
        moved
    } else {
        sum(moved, Affine::Const(-conv.pad))
    }
}

fn epilogue(conv: &Conv) -> Body {
    let f32s = |n| vec![ElementType::F32; n];
    let mut body = Body {
        args: f32s(2),
        insts: vec![],
        results: vec![],
    };
    if conv.residual {
        body.args = f32s(3);
    }
    let n = body.args.len();
    body.insts.push(Inst::Binary(BinaryFn::Add, 0, 1));
    if conv.residual {
        body.insts.push(Inst::Binary(BinaryFn::Add, n, 2));
    }
    let mut last = n + body.insts.len() - 1;
    if conv.relu {
        body.insts
            .push(Inst::Const(ElementType::F32, FloatBits::new(0.0)));
        body.insts.push(Inst::Binary(BinaryFn::Max, last, last + 1));
        last += 2;
    }
    body.results = vec![last];
    body
}

fn product() -> Body {
    Body {
        args: vec![ElementType::F32; 2],
        insts: vec![Inst::Binary(BinaryFn::Mul, 0, 1)],
        results: vec![2],
    }
}

/// Slots: image, packed weights, bias, residual if any, result.
fn slots(conv: &Conv, block: i64, flat: bool) -> Vec<Slot> {
    let (size, out) = (conv.size, conv.out_size());
    let (co, ci, k) = (conv.outputs, conv.inputs, conv.window);
    let result = if flat {
        vec![out * out, co]
    } else {
        vec![1, out, out, co]
    };
    let image = if flat {
        vec![size * size, ci]
    } else {
        vec![1, size, size, ci]
    };
    let mut slots = vec![
        slot(Role::Input, &image),
        slot(Role::Constant, &[(co + block - 1) / block, k, k, ci, block]),
        slot(Role::Constant, &[co]),
    ];
    if conv.residual {
        slots.push(slot(Role::Input, &result));
    }
    slots.push(slot(Role::Output, &result));
    slots
}

/// The kernel with its register tile: a row of the image and a block of channels per grid block, or
/// for pointwise convolutions `pixels` consecutive pixels.
pub(crate) fn kernel(conv: &Conv, tile: Tile, pixels: i64) -> Kernel {
    if conv.window == 1 && conv.stride == 1 {
        return flat_kernel(conv, tile, pixels);
    }
    let block = tile.vectors * tile.lanes;
    let out = conv.out_size();
    let blocks = (conv.outputs + block - 1) / block;
    let [n, oh, ow, cb, c0, kh, kw, ci] = [0, 1, 2, 3, 4, 5, 6, 7];
    let channel = sum(times(it(cb), block), it(c0));
    let written = |operand| access(operand, vec![it(n), it(oh), it(ow), channel.clone()]);
    let mut image = access(
        0,
        vec![it(n), window(oh, kh, conv), window(ow, kw, conv), it(ci)],
    );
    image.pad = (conv.pad > 0).then(|| FloatBits::new(0.0));
    let mut finish_reads = vec![access(2, vec![channel.clone()])];
    if conv.residual {
        finish_reads.push(written(3));
    }
    let nest = Nest {
        iters: vec![
            Iter::parallel(1),
            Iter::parallel(out),
            Iter::parallel(out),
            Iter::parallel(blocks),
            Iter::parallel(block),
            Iter::reduction(conv.window),
            Iter::reduction(conv.window),
            Iter::reduction(conv.inputs),
        ],
        reads: vec![
            image,
            access(1, vec![it(cb), it(kh), it(kw), it(ci), it(c0)]),
        ],
        body: product(),
        combines: vec![Combine {
            function: CombineFn::Add,
            init: FloatBits::new(0.0),
        }],
        finish_reads,
        finish: epilogue(conv),
        writes: vec![written(3 + usize::from(conv.residual))],
        contract: true,
        origins: vec![conv.name.to_string()],
    };
    let stage = StageSchedule {
        order: vec![n, cb, oh, ow, c0, kh, kw, ci],
        vector: Some(c0),
        lanes: tile.lanes,
        vectors: tile.vectors,
        rows: Some(ow),
        row_tile: tile.rows,
        jam: None,
        unroll: tile.unroll,
        reduction_tile: vec![],
    };
    let grid = vec![
        GridAxis {
            extent: blocks,
            tile: 1,
            iters: vec![Some(cb)],
        },
        GridAxis {
            extent: out,
            tile: 1,
            iters: vec![Some(oh)],
        },
    ];
    Kernel {
        name: "conv".into(),
        slots: slots(conv, block, false),
        stages: vec![nest],
        schedule: Some(Schedule {
            grid,
            stages: vec![stage],
        }),
    }
}

fn flat_kernel(conv: &Conv, tile: Tile, pixels: i64) -> Kernel {
    let block = tile.vectors * tile.lanes;
    let points = conv.out_size() * conv.out_size();
    let blocks = (conv.outputs + block - 1) / block;
    let [p, cb, c0, ci] = [0, 1, 2, 3];
    let channel = sum(times(it(cb), block), it(c0));
    let written = |operand| access(operand, vec![it(p), channel.clone()]);
    let mut finish_reads = vec![access(2, vec![channel.clone()])];
    if conv.residual {
        finish_reads.push(written(3));
    }
    let zero = || Affine::Const(0);
    let nest = Nest {
        iters: vec![
            Iter::parallel(points),
            Iter::parallel(blocks),
            Iter::parallel(block),
            Iter::reduction(conv.inputs),
        ],
        reads: vec![
            access(0, vec![it(p), it(ci)]),
            access(1, vec![it(cb), zero(), zero(), it(ci), it(c0)]),
        ],
        body: product(),
        combines: vec![Combine {
            function: CombineFn::Add,
            init: FloatBits::new(0.0),
        }],
        finish_reads,
        finish: epilogue(conv),
        writes: vec![written(3 + usize::from(conv.residual))],
        contract: true,
        origins: vec![conv.name.to_string()],
    };
    let stage = StageSchedule {
        order: vec![cb, p, c0, ci],
        vector: Some(c0),
        lanes: tile.lanes,
        vectors: tile.vectors,
        rows: Some(p),
        row_tile: tile.rows,
        jam: None,
        unroll: tile.unroll,
        reduction_tile: vec![],
    };
    let grid = vec![
        GridAxis {
            extent: points,
            tile: pixels.min(points),
            iters: vec![Some(p)],
        },
        GridAxis {
            extent: blocks,
            tile: 1,
            iters: vec![Some(cb)],
        },
    ];
    Kernel {
        name: "conv".into(),
        slots: slots(conv, block, true),
        stages: vec![nest],
        schedule: Some(Schedule {
            grid,
            stages: vec![stage],
        }),
    }
}
