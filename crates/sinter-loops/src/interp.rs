//! What a kernel computes: the meaning of [`Nest`]s, slow and plain.
//!
//! Works on kernels at every step: logical or physical slot types, placed or not. Reductions run in
//! row-major order of the reduction iterators; contracts use a fused multiply-add per step. Element
//! types are respected bit by bit (see [`Scalar`]).

use crate::kernel::{Kernel, Role};
use crate::nest::{Access, Nest};
use crate::scalar::Scalar;
use crate::tensor::Tensor;
use crate::types::TensorType;

/// Runs a kernel that [verifies](Kernel::verify) on its inputs and constants, in slot order, and
/// returns its outputs, in slot order.
///
/// Elements of an output that no stage writes are 0. Elements of a temporary that no stage writes
/// are NaN (integers: the least value), so that a kernel which reads them shows.
///
/// # Panics
/// When the inputs' types are not those of the slots, or the kernel does not verify.
pub fn run(kernel: &Kernel, inputs: &[Tensor]) -> Vec<Tensor> {
    let mut buffers: Vec<_> = kernel
        .slots
        .iter()
        .map(|s| Buffer::fresh(&s.ty, s.role))
        .collect();
    let arguments: Vec<_> = kernel.arguments().collect();
    assert_eq!(
        arguments.len(),
        inputs.len(),
        "kernel {} takes other inputs",
        kernel.name
    );
    for (slot, tensor) in arguments.into_iter().zip(inputs) {
        assert_eq!(tensor.ty(), &kernel.slots[slot].ty, "input for slot {slot}");
        buffers[slot] = Buffer::of(tensor);
    }
    for stage in &kernel.stages {
        run_nest(stage, &mut buffers);
    }
    kernel
        .slots_of(Role::Output)
        .map(|s| buffers[s].to_tensor())
        .collect()
}

struct Buffer {
    ty: TensorType,
    strides: Vec<i64>,
    values: Vec<Scalar>,
}

impl Buffer {
    fn new(ty: &TensorType, values: Vec<Scalar>) -> Self {
        Self {
            ty: ty.clone(),
            strides: ty.strides(),
            values,
        }
    }

    fn fresh(ty: &TensorType, role: Role) -> Self {
        let fill = match role {
            Role::Temporary if ty.element.is_float() => Scalar::new(ty.element, f64::NAN),
            Role::Temporary => Scalar::int(ty.element, i64::MIN),
            Role::Output => Scalar::new(ty.element, 0.0),
            Role::Input | Role::Constant => return Self::new(ty, Vec::new()),
        };
        Self::new(ty, vec![fill; ty.elements() as usize])
    }

    fn of(tensor: &Tensor) -> Self {
        let ty = tensor.ty();
        let value = |i| match ty.element.is_float() {
            true => Scalar::Float(ty.element, tensor.get_f64(i)),
            false => Scalar::Int(ty.element, tensor.get_i64(i)),
        };
        Self::new(ty, (0..ty.elements() as usize).map(value).collect())
    }

    fn to_tensor(&self) -> Tensor {
        if self.ty.element.is_float() {
            let values: Vec<f64> = self.values.iter().map(|v| v.to_f64()).collect();
            Tensor::from_f64s(self.ty.clone(), &values)
        } else {
            let values: Vec<i64> = self.values.iter().map(|v| v.to_i64()).collect();
            Tensor::from_i64s(self.ty.clone(), &values)
        }
    }

    /// Row-major position, `None` outside.
    fn position(&self, access: &Access, point: &[i64]) -> Option<usize> {
        let mut position = 0;
        for ((index, &extent), stride) in access.index.iter().zip(&self.ty.shape).zip(&self.strides)
        {
            let i = index.eval(point);
            if !(0..extent).contains(&i) {
                return None;
            }
            position += i * stride;
        }
        Some(position as usize)
    }

    fn read(&self, access: &Access, point: &[i64]) -> Scalar {
        match (self.position(access, point), access.pad) {
            (Some(p), _) => self.values[p],
            (None, Some(pad)) => Scalar::literal(self.ty.element, pad),
            (None, None) => panic!("unpadded read of slot {} at {point:?}", access.operand),
        }
    }

    fn write(&mut self, access: &Access, point: &[i64], value: Scalar) {
        match self.position(access, point) {
            Some(p) => self.values[p] = value,
            None => panic!("write outside slot {} at {point:?}", access.operand),
        }
    }
}

fn run_nest(nest: &Nest, buffers: &mut [Buffer]) {
    let extents = nest.extents();
    let parallel: Vec<_> = nest.parallels().collect();
    let reduction: Vec<_> = nest.reductions().collect();
    let mut point = vec![0; extents.len()];
    for_each(&extents, &parallel, &mut point, &mut |point| {
        let mut values = accumulate(nest, buffers, &extents, &reduction, point);
        values.extend(
            nest.finish_reads
                .iter()
                .map(|r| buffers[r.operand].read(r, point)),
        );
        for (write, value) in nest.writes.iter().zip(nest.finish.eval(&values, point)) {
            buffers[write.operand].write(write, point, value);
        }
    });
}

/// Runs over the points of some iterators, row-major, the others left as they are; those run over
/// are 0 afterwards.
fn for_each(extents: &[i64], over: &[usize], point: &mut [i64], f: &mut dyn FnMut(&mut [i64])) {
    let Some((&first, rest)) = over.split_first() else {
        return f(point);
    };
    for i in 0..extents[first] {
        point[first] = i;
        for_each(extents, rest, point, f);
    }
    point[first] = 0;
}

/// The accumulators of one parallel point, or the body's results where nothing is reduced.
fn accumulate(
    nest: &Nest,
    buffers: &[Buffer],
    extents: &[i64],
    reduction: &[usize],
    point: &mut [i64],
) -> Vec<Scalar> {
    let registers = |point: &[i64]| {
        let args: Vec<_> = nest
            .reads
            .iter()
            .map(|r| buffers[r.operand].read(r, point))
            .collect();
        nest.body.eval_registers(&args, point)
    };
    if reduction.is_empty() {
        let regs = registers(point);
        return nest.body.results.iter().map(|&r| regs[r]).collect();
    }
    let types = nest.body.result_types().unwrap_or_default();
    let mut accumulators: Vec<_> = nest
        .combines
        .iter()
        .zip(types)
        .map(|(c, ty)| Scalar::literal(ty, c.init))
        .collect();
    let factors = nest.body.product().filter(|_| nest.contract);
    for_each(extents, reduction, point, &mut |point| {
        let regs = registers(point);
        for (k, acc) in accumulators.iter_mut().enumerate() {
            *acc = match factors {
                Some((a, b)) => acc.fused_multiply_add(regs[a], regs[b]),
                None => acc.combine(nest.combines[k].function, regs[nest.body.results[k]]),
            };
        }
    });
    accumulators
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::affine::Affine;
    use crate::kernel::Slot;
    use crate::nest::{Combine, CombineFn, Iter};
    use crate::scalar::{BinaryFn, Body, BodyBuilder, FloatBits};
    use crate::types::ElementType::F32;

    fn d(i: usize) -> Affine {
        Affine::Iter(i)
    }

    #[test]
    fn padded_convolution_with_finish() {
        let mut body = BodyBuilder::new([F32, F32]);
        let product = body.binary(BinaryFn::Mul, 0, 1);
        let mut finish = BodyBuilder::new([F32, F32]);
        let sum = finish.binary(BinaryFn::Add, 0, 1);
        let zero = finish.constant(F32, 0.0);
        let relu = finish.binary(BinaryFn::Max, sum, zero);
        let kernel = Kernel {
            name: "conv".into(),
            slots: vec![
                Slot::new(TensorType::f32([4]), Role::Input),
                Slot::new(TensorType::f32([3]), Role::Constant),
                Slot::new(TensorType::f32([4]), Role::Input),
                Slot::new(TensorType::f32([4]), Role::Output),
            ],
            stages: vec![Nest {
                iters: vec![Iter::parallel(4), Iter::reduction(3)],
                reads: vec![
                    Access::padded(0, vec![d(0) + d(1) + Affine::Const(-1)], 0.0),
                    Access::new(1, vec![d(1)]),
                ],
                body: body.finish(vec![product]),
                combines: vec![Combine {
                    function: CombineFn::Add,
                    init: FloatBits::new(0.0),
                }],
                finish_reads: vec![Access::new(2, vec![d(0)])],
                finish: finish.finish(vec![relu]),
                writes: vec![Access::new(3, vec![d(0)])],
                contract: true,
                origins: vec![],
            }],
            schedule: None,
        };
        let x = Tensor::from_f32([4], &[1.0, 2.0, 3.0, 4.0]);
        let w = Tensor::from_f32([3], &[1.0, 10.0, 100.0]);
        let b = Tensor::from_f32([4], &[0.5, -1000.0, 0.0, 0.0]);
        assert_eq!(
            run(&kernel, &[x, w, b])[0].to_f32s(),
            [210.5, 0.0, 432.0, 43.0]
        );
    }

    #[test]
    fn unwritten_temporaries_are_nan() {
        let ty = TensorType::f32([2]);
        let copy = |from, to, extent| {
            Nest::map(
                vec![Iter::parallel(extent)],
                vec![Access::new(from, vec![d(0)])],
                Body::identity([F32]),
                vec![Access::new(to, vec![d(0)])],
            )
        };
        let kernel = Kernel {
            name: "partial".into(),
            slots: vec![
                Slot::new(ty.clone(), Role::Input),
                Slot::new(ty.clone(), Role::Temporary),
                Slot::new(ty, Role::Output),
            ],
            stages: vec![copy(0, 1, 1), copy(1, 2, 2)],
            schedule: None,
        };
        let out = run(&kernel, &[Tensor::from_f32([2], &[5.0, 6.0])])[0].to_f32s();
        assert!(out[0] == 5.0 && out[1].is_nan());
    }
}
