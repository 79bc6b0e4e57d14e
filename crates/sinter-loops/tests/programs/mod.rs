//! Kernels with one nest per operator, as fusion forms them, built by hand or at random.

// Each test file uses a part of this module.
#![allow(dead_code)]

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use sinter_loops::affine::Affine;
use sinter_loops::kernel::{Kernel, Role, Slot};
use sinter_loops::nest::{Access, Combine, CombineFn, Iter, Nest};
use sinter_loops::scalar::{BinaryFn, Body, BodyBuilder, FloatBits, UnaryFn};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::ElementType::F32;
use sinter_loops::types::TensorType;

fn d(i: usize) -> Affine {
    Affine::Iter(i)
}

fn iters(count: usize) -> Vec<Affine> {
    (0..count).map(d).collect()
}

fn parallel(shape: &[i64]) -> Vec<Iter> {
    shape.iter().map(|&e| Iter::parallel(e)).collect()
}

/// Builds a kernel; every value is a slot.
pub(crate) struct Program {
    pub(crate) rng: SmallRng,
    slots: Vec<Slot>,
    stages: Vec<Nest>,
}

impl Program {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            rng: SmallRng::seed_from_u64(seed),
            slots: Vec::new(),
            stages: Vec::new(),
        }
    }

    pub(crate) fn shape(&self, value: usize) -> Vec<i64> {
        self.slots[value].ty.shape.clone()
    }

    fn slot(&mut self, shape: &[i64], role: Role) -> usize {
        self.slots.push(Slot::new(TensorType::f32(shape), role));
        self.slots.len() - 1
    }

    pub(crate) fn input(&mut self, shape: &[i64]) -> usize {
        self.slot(shape, Role::Input)
    }

    pub(crate) fn constant(&mut self, shape: &[i64]) -> usize {
        self.slot(shape, Role::Constant)
    }

    fn stage(&mut self, nest: Nest) {
        let name = format!("n{}", self.stages.len());
        self.stages.push(Nest {
            origins: vec![name],
            ..nest
        });
    }

    fn map(&mut self, shape: &[i64], reads: Vec<Access>, body: Body) -> usize {
        let out = self.slot(shape, Role::Temporary);
        let write = vec![Access::new(out, iters(shape.len()))];
        self.stage(Nest::map(parallel(shape), reads, body, write));
        out
    }

    fn reduce_stage(&mut self, nest: Nest, reduced: &[i64], function: CombineFn, init: f64) {
        let mut nest = nest;
        nest.iters
            .extend(reduced.iter().map(|&e| Iter::reduction(e)));
        nest.combines = vec![Combine {
            function,
            init: FloatBits::new(init),
        }];
        self.stage(nest);
    }

    pub(crate) fn unary(&mut self, x: usize, function: UnaryFn) -> usize {
        let shape = self.shape(x);
        let mut b = BodyBuilder::new([F32]);
        let y = b.unary(function, 0);
        self.map(
            &shape,
            vec![Access::new(x, iters(shape.len()))],
            b.finish(vec![y]),
        )
    }

    pub(crate) fn relu(&mut self, x: usize) -> usize {
        let shape = self.shape(x);
        let mut b = BodyBuilder::new([F32]);
        let zero = b.constant(F32, 0.0);
        let y = b.binary(BinaryFn::Max, 0, zero);
        self.map(
            &shape,
            vec![Access::new(x, iters(shape.len()))],
            b.finish(vec![y]),
        )
    }

    /// Adds the position along the last dimension.
    pub(crate) fn add_position(&mut self, x: usize) -> usize {
        let shape = self.shape(x);
        let mut b = BodyBuilder::new([F32]);
        let i = b.index(shape.len() - 1);
        let f = b.cast(F32, i);
        let y = b.binary(BinaryFn::Add, 0, f);
        self.map(
            &shape,
            vec![Access::new(x, iters(shape.len()))],
            b.finish(vec![y]),
        )
    }

    /// `y` is broadcast to `x`, aligned at the end.
    pub(crate) fn binary(&mut self, x: usize, y: usize, function: BinaryFn) -> usize {
        let shape = self.shape(x);
        let small = self.shape(y);
        let skip = shape.len() - small.len();
        let index = |i: usize| {
            if small[i] == 1 {
                Affine::ZERO
            } else {
                d(skip + i)
            }
        };
        let reads = vec![
            Access::new(x, iters(shape.len())),
            Access::new(y, (0..small.len()).map(index).collect()),
        ];
        let mut b = BodyBuilder::new([F32, F32]);
        let z = b.binary(function, 0, 1);
        self.map(&shape, reads, b.finish(vec![z]))
    }

    fn move_elements(&mut self, shape: &[i64], read: Access) -> usize {
        self.map(shape, vec![read], Body::identity([F32]))
    }

    pub(crate) fn transpose(&mut self, x: usize, perm: &[usize]) -> usize {
        let from = self.shape(x);
        let shape: Vec<i64> = perm.iter().map(|&p| from[p]).collect();
        let place = |q: usize| d(perm.iter().position(|&p| p == q).unwrap());
        let read = Access::new(x, (0..from.len()).map(place).collect());
        self.move_elements(&shape, read)
    }

    pub(crate) fn reshape(&mut self, x: usize, shape: &[i64]) -> usize {
        let from = self.shape(x);
        let flat = Affine::flatten(&iters(shape.len()), shape);
        let strides = TensorType::f32(from.clone()).strides();
        let part = |q: usize| flat.clone().floor_div(strides[q]).modulo(from[q]);
        let read = Access::new(x, (0..from.len()).map(part).collect());
        self.move_elements(shape, read)
    }

    pub(crate) fn pad(&mut self, x: usize, dim: usize, value: f64) -> usize {
        let mut shape = self.shape(x);
        let mut index = iters(shape.len());
        index[dim] = d(dim) + Affine::Const(-1);
        shape[dim] += 2;
        self.move_elements(&shape, Access::padded(x, index, value))
    }

    pub(crate) fn slice(&mut self, x: usize, dim: usize) -> usize {
        let mut shape = self.shape(x);
        let mut index = iters(shape.len());
        let step = if shape[dim] > 3 { 2 } else { 1 };
        index[dim] = d(dim) * step + Affine::Const(1);
        shape[dim] = (shape[dim] - 2) / step + 1;
        self.move_elements(&shape, Access::new(x, index))
    }

    pub(crate) fn concat(&mut self, parts: &[usize], dim: usize) -> usize {
        let mut shape = self.shape(parts[0]);
        shape[dim] = parts.iter().map(|&p| self.shape(p)[dim]).sum();
        let out = self.slot(&shape, Role::Temporary);
        let mut offset = 0;
        for &part in parts {
            let from = self.shape(part);
            let mut index = iters(from.len());
            index[dim] = d(dim) + offset;
            offset += from[dim];
            let read = Access::new(part, iters(from.len()));
            let write = vec![Access::new(out, index)];
            self.stage(Nest::map(
                parallel(&from),
                vec![read],
                Body::identity([F32]),
                write,
            ));
        }
        out
    }

    /// Keeps the reduced dimension with extent 1.
    pub(crate) fn reduce(&mut self, x: usize, dim: usize, function: CombineFn) -> usize {
        let mut shape = self.shape(x);
        let reduced = shape[dim];
        let mut index = iters(shape.len());
        index[dim] = d(shape.len());
        shape[dim] = 1;
        let out = self.slot(&shape, Role::Temporary);
        let mut write = iters(shape.len());
        write[dim] = Affine::ZERO;
        let nest = Nest::map(
            parallel(&shape),
            vec![Access::new(x, index)],
            Body::identity([F32]),
            vec![Access::new(out, write)],
        );
        let init = if function == CombineFn::Max {
            f64::NEG_INFINITY
        } else {
            0.0
        };
        self.reduce_stage(nest, &[reduced], function, init);
        out
    }

    pub(crate) fn softmax(&mut self, x: usize) -> usize {
        let last = self.shape(x).len() - 1;
        let max = self.reduce(x, last, CombineFn::Max);
        let shifted = self.binary(x, max, BinaryFn::Sub);
        let exp = self.unary(shifted, UnaryFn::Exp);
        let sum = self.reduce(exp, last, CombineFn::Add);
        self.binary(exp, sum, BinaryFn::Div)
    }

    pub(crate) fn layer_norm(&mut self, x: usize) -> usize {
        let last = self.shape(x).len() - 1;
        let mean = self.reduce(x, last, CombineFn::Add);
        let centred = self.binary(x, mean, BinaryFn::Sub);
        let square = self.binary(centred, centred, BinaryFn::Mul);
        let variance = self.reduce(square, last, CombineFn::Add);
        let scale = self.unary(variance, UnaryFn::Rsqrt);
        self.binary(centred, scale, BinaryFn::Mul)
    }

    fn product() -> Body {
        let mut b = BodyBuilder::new([F32, F32]);
        let y = b.binary(BinaryFn::Mul, 0, 1);
        b.finish(vec![y])
    }

    /// `[.., m, k] x [k, n]`.
    pub(crate) fn matmul(&mut self, x: usize, w: usize) -> usize {
        let mut shape = self.shape(x);
        let last = shape.len() - 1;
        let k = shape[last];
        shape[last] = self.shape(w)[1];
        let out = self.slot(&shape, Role::Temporary);
        let mut index = iters(shape.len());
        index[last] = d(last + 1);
        let reads = vec![
            Access::new(x, index),
            Access::new(w, vec![d(last + 1), d(last)]),
        ];
        let write = vec![Access::new(out, iters(shape.len()))];
        let nest = Nest::map(parallel(&shape), reads, Self::product(), write);
        self.reduce_stage(
            Nest {
                contract: true,
                ..nest
            },
            &[k],
            CombineFn::Add,
            0.0,
        );
        out
    }

    /// `[b, m, k] x [b, k, n]`, or `[b, n, k]` where `y` is transposed.
    pub(crate) fn batch_matmul(&mut self, x: usize, y: usize, transposed: bool) -> usize {
        let (left, right) = (self.shape(x), self.shape(y));
        let shape = [left[0], left[1], right[if transposed { 1 } else { 2 }]];
        let out = self.slot(&shape, Role::Temporary);
        let of_y = if transposed { [2, 3] } else { [3, 2] };
        let reads = vec![
            Access::new(x, vec![d(0), d(1), d(3)]),
            Access::new(y, vec![d(0), d(of_y[0]), d(of_y[1])]),
        ];
        let write = vec![Access::new(out, iters(3))];
        let nest = Nest::map(parallel(&shape), reads, Self::product(), write);
        let nest = Nest {
            contract: true,
            ..nest
        };
        self.reduce_stage(nest, &[left[2]], CombineFn::Add, 0.0);
        out
    }

    /// Same padding; `[n, c, h, w]` by `[co, ci, k, k]`.
    pub(crate) fn conv(&mut self, x: usize, w: usize, stride: i64) -> usize {
        let from = self.shape(x);
        let weights = self.shape(w);
        let window = weights[2];
        let edge = |e: i64| (e - 1) / stride + 1;
        let shape = [from[0], weights[0], edge(from[2]), edge(from[3])];
        let out = self.slot(&shape, Role::Temporary);
        let at = |o: usize, k: usize| d(o) * stride + d(k) + Affine::Const(-(window / 2));
        let index = vec![d(0), d(4), at(2, 5), at(3, 6)];
        let read = if window == 1 {
            Access::new(x, index)
        } else {
            Access::padded(x, index, 0.0)
        };
        let reads = vec![read, Access::new(w, vec![d(1), d(4), d(5), d(6)])];
        let write = vec![Access::new(out, iters(4))];
        let nest = Nest::map(parallel(&shape), reads, Self::product(), write);
        let reduced = [from[1], window, window];
        self.reduce_stage(
            Nest {
                contract: true,
                ..nest
            },
            &reduced,
            CombineFn::Add,
            0.0,
        );
        out
    }

    /// `[n, c, h, w]` by `[c, k, k]`, same padding.
    pub(crate) fn depthwise(&mut self, x: usize, w: usize) -> usize {
        let shape = self.shape(x);
        let window = self.shape(w)[1];
        let out = self.slot(&shape, Role::Temporary);
        let at = |o: usize, k: usize| d(o) + d(k) + Affine::Const(-(window / 2));
        let reads = vec![
            Access::padded(x, vec![d(0), d(1), at(2, 4), at(3, 5)], 0.0),
            Access::new(w, vec![d(1), d(4), d(5)]),
        ];
        let write = vec![Access::new(out, iters(4))];
        let nest = Nest::map(parallel(&shape), reads, Self::product(), write);
        let nest = Nest {
            contract: true,
            ..nest
        };
        self.reduce_stage(nest, &[window, window], CombineFn::Add, 0.0);
        out
    }

    pub(crate) fn max_pool(&mut self, x: usize) -> usize {
        let from = self.shape(x);
        let shape = [
            from[0],
            from[1],
            (from[2] - 1) / 2 + 1,
            (from[3] - 1) / 2 + 1,
        ];
        let out = self.slot(&shape, Role::Temporary);
        let at = |o: usize, k: usize| d(o) * 2 + d(k) + Affine::Const(-1);
        let read = Access::padded(x, vec![d(0), d(1), at(2, 4), at(3, 5)], f64::NEG_INFINITY);
        let write = vec![Access::new(out, iters(4))];
        let nest = Nest::map(parallel(&shape), vec![read], Body::identity([F32]), write);
        self.reduce_stage(nest, &[3, 3], CombineFn::Max, f64::NEG_INFINITY);
        out
    }

    /// The maximum of a 3x3 window around the mirrored position.
    pub(crate) fn mirrored_max(&mut self, x: usize) -> usize {
        let shape = self.shape(x);
        let out = self.slot(&shape, Role::Temporary);
        let at = |o: usize, k: usize| d(o) * -1 + d(k) + Affine::Const(shape[o] - 2);
        let read = Access::padded(x, vec![at(0, 2), at(1, 3)], f64::NEG_INFINITY);
        let write = vec![Access::new(out, iters(2))];
        let nest = Nest::map(parallel(&shape), vec![read], Body::identity([F32]), write);
        self.reduce_stage(nest, &[3, 3], CombineFn::Max, f64::NEG_INFINITY);
        out
    }

    /// The kernel with the given outputs; slots in launch order, temporaries last.
    pub(crate) fn finish(self, outputs: &[usize]) -> Kernel {
        let mut kernel = Kernel {
            name: "random".into(),
            slots: self.slots,
            stages: self.stages,
            schedule: None,
        };
        for &o in outputs {
            kernel.slots[o].role = Role::Output;
        }
        let rank = |s: &usize| match kernel.slots[*s].role {
            Role::Input | Role::Constant => 0,
            Role::Output => 1,
            Role::Temporary => 2,
        };
        let mut order: Vec<usize> = (0..kernel.slots.len()).collect();
        order.sort_by_key(rank);
        for access in kernel.stages.iter_mut().flat_map(Nest::accesses_mut) {
            access.operand = order.iter().position(|&s| s == access.operand).unwrap();
        }
        kernel.slots = order.iter().map(|&s| kernel.slots[s].clone()).collect();
        kernel
    }

    /// Appends a random operator on one of the values, if one fits; returns its result.
    fn random_op(&mut self, values: &[usize]) -> Option<usize> {
        let x = values[self.rng.random_range(0..values.len())];
        let shape = self.shape(x);
        let dim = self.rng.random_range(0..shape.len());
        let image = shape.len() == 4;
        Some(match self.rng.random_range(0..20) {
            0 | 1 => self.relu(x),
            2 => self.unary(x, UnaryFn::Tanh),
            3 => self.unary(x, UnaryFn::Neg),
            4 => self.add_position(x),
            5 | 6 => {
                let mut small = shape;
                small
                    .iter_mut()
                    .filter(|_| self.rng.random_bool(0.4))
                    .for_each(|e| *e = 1);
                let y = self.constant(&small);
                self.binary(x, y, BinaryFn::Mul)
            }
            7 | 8 => {
                let y = *values
                    .iter()
                    .rev()
                    .find(|&&y| y != x && self.shape(y) == shape)?;
                self.binary(x, y, BinaryFn::Add)
            }
            9 => {
                let mut perm: Vec<usize> = (0..shape.len()).collect();
                let other = self.rng.random_range(0..shape.len());
                perm.swap(dim, other);
                self.transpose(x, &perm)
            }
            10 => {
                let total: i64 = shape.iter().product();
                let divisors: Vec<i64> = (1..=total).filter(|c| total % c == 0).collect();
                let c = divisors[self.rng.random_range(0..divisors.len())];
                self.reshape(x, &[total / c, c])
            }
            11 => {
                let value = if self.rng.random_bool(0.5) { 0.0 } else { 1.5 };
                self.pad(x, dim, value)
            }
            12 if shape[dim] > 2 => self.slice(x, dim),
            13 => self.concat(&[x, x], dim),
            14 => self.reduce(x, dim, CombineFn::Add),
            15 => self.softmax(x),
            16 => self.layer_norm(x),
            17 if image => {
                let k = if self.rng.random_bool(0.5) { 1 } else { 3 };
                let co = self.rng.random_range(1..7);
                let w = self.constant(&[co, shape[1], k, k]);
                let stride = self.rng.random_range(1..3);
                self.conv(x, w, stride)
            }
            18 if image && self.rng.random_bool(0.5) => self.max_pool(x),
            18 if image => {
                let w = self.constant(&[shape[1], 3, 3]);
                self.depthwise(x, w)
            }
            19 => {
                let n = self.rng.random_range(1..6);
                let w = self.constant(&[shape[shape.len() - 1], n]);
                self.matmul(x, w)
            }
            _ => return None,
        })
    }
}

/// A random kernel of a few operators; what no operator reads, and sometimes more, are outputs.
pub(crate) fn random(seed: u64) -> Kernel {
    let mut p = Program::new(seed);
    let extent = |p: &mut Program| p.rng.random_range(1..6);
    let mut values = Vec::new();
    for _ in 0..p.rng.random_range(1..3) {
        let rank = if p.rng.random_bool(0.6) {
            4
        } else {
            p.rng.random_range(1..4)
        };
        let shape: Vec<i64> = (0..rank).map(|_| extent(&mut p)).collect();
        values.push(p.input(&shape));
    }
    let inputs = values.len();
    let ops = p.rng.random_range(1..6);
    while values.len() < inputs + ops {
        let recent = values[values.len().saturating_sub(3)..].to_vec();
        if let Some(value) = p.random_op(&recent) {
            values.push(value);
        }
    }
    let read = |v: usize| {
        p.stages.iter().any(|s| {
            s.accesses()
                .any(|a| a.operand == v && !s.writes.contains(a))
        })
    };
    let mut outputs: Vec<usize> = values[inputs..]
        .iter()
        .copied()
        .filter(|&v| !read(v))
        .collect();
    if p.rng.random_bool(0.2) {
        outputs.push(values[inputs]);
        outputs.dedup();
    }
    p.finish(&outputs)
}

/// A chain of convolutions and pools on an image, with residuals: values are read through windows.
pub(crate) fn windows(seed: u64) -> Kernel {
    let mut p = Program::new(seed);
    let shape = [1, p.rng.random_range(1..5), p.rng.random_range(1..14), 9];
    let mut values = vec![p.input(&shape)];
    for _ in 0..p.rng.random_range(2..5) {
        let x = values[values.len() - 1];
        let shape = p.shape(x);
        let window = p.rng.random_range(0..6);
        let y = match window {
            0 | 1 => {
                let w = p.constant(&[shape[1], 3, 3]);
                p.depthwise(x, w)
            }
            2 => p.max_pool(x),
            _ => {
                let co = p.rng.random_range(1..6);
                let (k, stride) = ([1, 3, 5][window % 3], p.rng.random_range(1..3));
                let w = p.constant(&[co, shape[1], k, k]);
                p.conv(x, w, stride)
            }
        };
        let shape = p.shape(y);
        let earlier = values.iter().find(|&&v| p.shape(v) == shape).copied();
        let y = match earlier.filter(|_| p.rng.random_bool(0.5)) {
            Some(v) => p.binary(y, v, BinaryFn::Add),
            None => p.unary(y, UnaryFn::Abs),
        };
        values.push(y);
    }
    let last = values[values.len() - 1];
    p.finish(&[last])
}

/// Random values for a kernel's inputs and constants.
pub(crate) fn tensors(kernel: &Kernel, seed: u64) -> Vec<Tensor> {
    let mut rng = SmallRng::seed_from_u64(seed);
    kernel
        .arguments()
        .map(|s| {
            let ty = kernel.slots[s].ty.clone();
            let values: Vec<f64> = (0..ty.elements())
                .map(|_| rng.random_range(-2.0..2.0))
                .collect();
            Tensor::from_f64s(ty, &values)
        })
        .collect()
}

/// Equal bit by bit, all NaNs alike.
#[track_caller]
pub(crate) fn assert_same(want: &[Tensor], got: &[Tensor], kernel: &Kernel) {
    assert_eq!(want.len(), got.len());
    for (n, (w, g)) in want.iter().zip(got).enumerate() {
        assert_eq!(w.ty(), g.ty());
        for (i, (a, b)) in w.to_f32s().iter().zip(g.to_f32s()).enumerate() {
            let same = a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
            assert!(same, "output {n} element {i}: {a} is now {b}\n{kernel}");
        }
    }
}
