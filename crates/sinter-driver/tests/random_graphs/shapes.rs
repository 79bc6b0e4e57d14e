//! Operators that move elements, combine them over an extent, or contract.

use rand::Rng;
use sinter_loops::scalar::FloatBits;
use sinter_loops::tensor::Tensor;
use sinter_ops::ops::batch_norm::BatchNorm;
use sinter_ops::ops::conv::Conv;
use sinter_ops::ops::conv_transpose::ConvTranspose;
use sinter_ops::ops::gather::Gather;
use sinter_ops::ops::layer_norm::LayerNorm;
use sinter_ops::ops::matmul::Matmul;
use sinter_ops::ops::pad::{Pad, PadMode};
use sinter_ops::ops::pool::{Pool, PoolKind};
use sinter_ops::ops::reduce::{Reduce, ReduceKind};
use sinter_ops::ops::reshape::Reshape;
use sinter_ops::ops::resize::{Coordinates, Resize, ResizeMode, Rounding};
use sinter_ops::ops::scan::{Scan, ScanKind};
use sinter_ops::ops::slice::Slice;
use sinter_ops::ops::softmax::{LogSoftmax, Softmax};
use sinter_ops::ops::transpose::Transpose;

use crate::generate::{Generator, Value};

impl Generator {
    pub(crate) fn moved(&mut self, x: &Value) {
        match self.rng.random_range(0..8) {
            0 | 1 => self.transposed(x),
            2 => self.reshaped(x),
            3 => self.sliced(x),
            4 => self.padded(x),
            5 => self.expanded(x),
            6 => self.gathered(x),
            _ => self.resized(x),
        }
    }

    fn transposed(&mut self, x: &Value) {
        let mut perm: Vec<i64> = (0..x.shape.len() as i64).collect();
        for d in (1..perm.len()).rev() {
            perm.swap(d, self.rng.random_range(0..=d));
        }
        let id = self.node(Transpose { perm }, &[x.id]);
        self.offer(id, x.bound, x.exact);
    }

    /// Merges two dimensions, or splits one.
    fn reshaped(&mut self, x: &Value) {
        let mut shape = x.shape.clone();
        if shape.len() >= 2 && self.flag() {
            let d = self.rng.random_range(0..shape.len() - 1);
            let inner = shape.remove(d + 1);
            shape[d] *= inner;
        } else if shape.len() < 4 && !shape.is_empty() {
            let d = self.rng.random_range(0..shape.len());
            let divisors: Vec<i64> = (1..=shape[d]).filter(|n| shape[d] % n == 0).collect();
            let outer = self.of(&divisors);
            shape[d] /= outer;
            shape.insert(d, outer);
        }
        let id = self.node(Reshape { shape }, &[x.id]);
        self.offer(id, x.bound, x.exact);
    }

    fn sliced(&mut self, x: &Value) {
        let (mut starts, mut sizes, mut steps) = (Vec::new(), Vec::new(), Vec::new());
        for &extent in &x.shape {
            let step = self.of(&[1, 1, 1, 2, -1]);
            let most = (extent - 1) / i64::abs(step) + 1;
            let size = self.rng.random_range(1..=most);
            let free = extent - 1 - (size - 1) * i64::abs(step);
            let low = self.rng.random_range(0..=free);
            let start = if step > 0 { low } else { extent - 1 - low };
            let step = if size == 1 { 1 } else { step };
            starts.push(start);
            sizes.push(size);
            steps.push(step);
        }
        let op = Slice {
            starts,
            sizes,
            steps,
        };
        let id = self.node(op, &[x.id]);
        self.offer(id, x.bound, x.exact);
    }

    fn padded(&mut self, x: &Value) {
        let mode = self.of(&[PadMode::Constant, PadMode::Reflect, PadMode::Edge]);
        let mut sides = || -> Vec<i64> {
            let side = |&e: &i64| self.rng.random_range(0..=2.min(e - 1));
            x.shape.iter().map(side).collect()
        };
        let op = Pad {
            low: sides(),
            high: sides(),
            value: FloatBits::new(0.75),
            mode,
        };
        let id = self.node(op, &[x.id]);
        self.offer(id, x.bound, x.exact);
    }

    fn gathered(&mut self, x: &Value) {
        if x.shape.is_empty() {
            return;
        }
        let axis = self.rng.random_range(0..x.shape.len());
        let extent = x.shape[axis];
        let count = self.rng.random_range(1..=4);
        let places: Vec<i64> = (0..count)
            .map(|_| self.rng.random_range(-extent..extent))
            .collect();
        let places = self.graph.constant(Tensor::from_i64([count], &places));
        let id = self.node(Gather { axis: axis as i64 }, &[x.id, places]);
        self.offer(id, x.bound, x.exact);
    }

    fn resized(&mut self, x: &Value) {
        if x.shape.len() != 4 {
            return;
        }
        let mut shape = x.shape.clone();
        for extent in &mut shape[2..] {
            *extent = self.rng.random_range(1..=2 * *extent);
        }
        let modes = [
            (ResizeMode::Nearest, Coordinates::Asymmetric),
            (ResizeMode::Linear, Coordinates::HalfPixel),
            (ResizeMode::Linear, Coordinates::AlignCorners),
        ];
        let (mode, coordinates) = self.of(&modes);
        let op = Resize {
            mode,
            coordinates,
            rounding: Rounding::Floor,
            shape,
            scales: Vec::new(),
            cubic_coefficient: FloatBits::new(-0.75),
            exclude_outside: false,
        };
        let id = self.node(op, &[x.id]);
        self.offer(id, x.bound, x.exact && mode == ResizeMode::Nearest);
    }

    pub(crate) fn reduced(&mut self, x: &Value) {
        let rank = x.shape.len();
        if rank == 0 {
            return;
        }
        let axis = self.rng.random_range(0..rank) as i64;
        match self.rng.random_range(0..8) {
            0 => {
                let id = self.node(Softmax { axis }, &[x.id]);
                self.offer(id, 1.0, false);
            }
            1 => {
                let id = self.node(LogSoftmax { axis }, &[x.id]);
                self.offer(id, 2.0 * x.bound + 10.0, false);
            }
            2 => self.normalised(x, axis),
            3 => self.pooled(x),
            4 => {
                let op = Scan {
                    kind: ScanKind::Sum,
                    axis,
                    exclusive: self.flag(),
                    reverse: self.flag(),
                };
                let id = self.node(op, &[x.id]);
                self.offer(id, x.bound * x.shape[axis as usize] as f64, false);
            }
            _ => self.reduction(x),
        }
    }

    fn reduction(&mut self, x: &Value) {
        use ReduceKind::{L1, L2, LogSumExp, Max, Mean, Min, Sum, SumSquare};
        let kind = self.of(&[Sum, Mean, Max, Min, L1, L2, SumSquare, LogSumExp]);
        let axes: Vec<i64> = (0..x.shape.len() as i64).filter(|_| self.flag()).collect();
        let count: i64 = axes.iter().map(|&a| x.shape[a as usize]).product();
        let op = Reduce {
            kind,
            axes,
            keep_dims: self.flag(),
        };
        let bound = match kind {
            Sum | L1 => x.bound * count as f64,
            SumSquare => x.bound * x.bound * count as f64,
            L2 => x.bound * (count as f64).sqrt(),
            LogSumExp => x.bound + (count as f64).ln(),
            _ => x.bound,
        };
        let id = self.node(op, &[x.id]);
        self.offer(id, bound, false);
    }

    fn normalised(&mut self, x: &Value, axis: i64) {
        let epsilon = FloatBits::new(0.01);
        if x.shape.len() >= 2 && self.flag() {
            let channels = [x.shape[1]];
            let mut operands = vec![x.id];
            operands.extend((0..3).map(|_| self.constant(&channels, 1.0)));
            let variance: Vec<f32> = (0..channels[0]).map(|i| 0.5 + i as f32 / 8.0).collect();
            let variance = Tensor::from_f32(channels, &variance);
            operands.push(self.graph.constant(variance));
            let id = self.node(BatchNorm { epsilon }, &operands);
            return self.offer(id, 2.0 * x.bound + 3.0, false);
        }
        let tail = x.shape[axis as usize..].to_vec();
        let mut operands = vec![x.id, self.constant(&tail, 1.0)];
        if self.flag() {
            operands.push(self.constant(&tail, 1.0));
        }
        let id = self.node(LayerNorm { axis, epsilon }, &operands);
        let count = tail.iter().product::<i64>() as f64;
        self.offer(id, count.sqrt() + 1.0, false);
    }

    fn pooled(&mut self, x: &Value) {
        let Some(spatial) = x.shape.len().checked_sub(2).filter(|n| (1..=2).contains(n)) else {
            return;
        };
        let op = Pool {
            kind: self.of(&[PoolKind::Max, PoolKind::Avg]),
            kernel: vec![self.of(&[2, 3]); spatial],
            strides: vec![self.of(&[1, 2]); spatial],
            pads: vec![self.of(&[0, 1]); 2 * spatial],
            dilations: vec![1; spatial],
            ceil_mode: self.flag(),
            count_include_pad: self.flag(),
        };
        let id = self.node(op, &[x.id]);
        self.offer(id, x.bound, false);
    }

    pub(crate) fn contracted(&mut self, x: &Value) {
        match x.shape.len() {
            0 => {}
            3 | 4 if self.flag() => {
                if self.rng.random_bool(0.15) {
                    self.transposed_convolution(x);
                } else {
                    self.convolution(x);
                }
            }
            rank => {
                let k = x.shape[rank - 1];
                let columns = self.rng.random_range(1..=24);
                let b = self.constant(&[k, columns], 2.0 / (k as f64).sqrt());
                let id = self.node(Matmul {}, &[x.id, b]);
                self.offer(id, 2.0 * x.bound * (k as f64).sqrt(), false);
            }
        }
    }

    fn bias(&mut self, operands: &mut Vec<sinter_ops::ValueId>, channels: i64) {
        if self.flag() {
            operands.push(self.constant(&[channels], 1.0));
        }
    }

    fn convolution(&mut self, x: &Value) {
        let spatial = x.shape.len() - 2;
        let channels = x.shape[1];
        let groups = self.of(&[1, 1, channels]);
        let outputs = groups * self.rng.random_range(1..=if groups == 1 { 20 } else { 2 });
        let kernel = self.of(&[1, 1, 3, 2]);
        let mut shape = vec![outputs, channels / groups];
        shape.extend(vec![kernel; spatial]);
        let taps = shape[1..].iter().product::<i64>() as f64;
        let mut operands = vec![x.id, self.constant(&shape, 2.0 / taps.sqrt())];
        self.bias(&mut operands, outputs);
        let pads = (0..2 * spatial).map(|_| self.rng.random_range(0..kernel));
        let op = Conv {
            pads: pads.collect(),
            strides: vec![self.of(&[1, 1, 2]); spatial],
            dilations: vec![self.of(&[1, 1, 2]); spatial],
            groups,
        };
        let id = self.node(op, &operands);
        self.offer(id, 2.0 * x.bound * taps.sqrt() + 1.0, false);
    }

    fn transposed_convolution(&mut self, x: &Value) {
        let spatial = x.shape.len() - 2;
        let outputs = self.rng.random_range(1..=6);
        let stride = self.of(&[1, 2]);
        let kernel = if stride == 1 { 3 } else { 2 };
        let mut shape = vec![x.shape[1], outputs];
        shape.extend(vec![kernel; spatial]);
        let taps = (x.shape[1] * kernel.pow(spatial as u32)) as f64;
        let mut operands = vec![x.id, self.constant(&shape, 2.0 / taps.sqrt())];
        self.bias(&mut operands, outputs);
        let op = ConvTranspose {
            strides: vec![stride; spatial],
            pads: vec![0; 2 * spatial],
            output_pads: vec![0; spatial],
            dilations: vec![1; spatial],
            groups: 1,
        };
        let id = self.node(op, &operands);
        self.offer(id, 2.0 * x.bound * taps.sqrt() + 1.0, false);
    }
}
