//! Structural invariants of nests and kernels.

use crate::affine::Affine;
use crate::invert::is_injective;
use crate::kernel::{Kernel, Role};
use crate::nest::{Access, CombineFn, IterKind, Nest};
use crate::types::{ElementType, TensorType};

impl Nest {
    /// Checks the nest against the types of the slots it refers to: iterators, ranks and ranges of
    /// all accesses, arguments and results of both bodies, combiners, writes.
    ///
    /// # Errors
    /// A sentence on the first invariant that does not hold.
    pub fn verify(&self, slots: &[TensorType]) -> Result<(), String> {
        if let Some(n) = self.iters.iter().position(|i| i.extent < 1) {
            return Err(format!("iterator d{n} has extent {}", self.iters[n].extent));
        }
        self.verify_accesses(slots)?;
        self.verify_bodies(slots)?;
        if self.contract {
            self.verify_contract()?;
        }
        Ok(())
    }

    fn verify_accesses(&self, slots: &[TensorType]) -> Result<(), String> {
        let extents = self.extents();
        for (n, read) in self.reads.iter().enumerate() {
            self.verify_access(read, slots, &extents)
                .map_err(|e| format!("read {n}: {e}"))?;
        }
        for (n, read) in self.finish_reads.iter().enumerate() {
            self.verify_access(read, slots, &extents)
                .and_then(|()| self.verify_parallel(read))
                .map_err(|e| format!("finish read {n}: {e}"))?;
        }
        for (n, write) in self.writes.iter().enumerate() {
            self.verify_access(write, slots, &extents)
                .and_then(|()| self.verify_parallel(write))
                .and_then(|()| self.verify_write(write))
                .map_err(|e| format!("write {n}: {e}"))?;
            if self.writes[..n].iter().any(|w| w.operand == write.operand) {
                return Err(format!(
                    "write {n}: another write has slot {} already",
                    write.operand
                ));
            }
        }
        match self.writes.is_empty() {
            true => Err("a nest writes something".to_owned()),
            false => Ok(()),
        }
    }

    fn verify_access(
        &self,
        access: &Access,
        slots: &[TensorType],
        extents: &[i64],
    ) -> Result<(), String> {
        let ty = slots
            .get(access.operand)
            .ok_or_else(|| format!("slot {} does not exist", access.operand))?;
        if access.index.len() != ty.rank() {
            return Err(format!("{} index expressions for {ty}", access.index.len()));
        }
        for (dim, (index, &extent)) in access.index.iter().zip(&ty.shape).enumerate() {
            verify_affine(index, extents.len())?;
            let range = index.range(extents);
            if access.pad.is_none() && !range.is_inside(extent) {
                let Some(point) = outside(index, extents, extent) else {
                    continue;
                };
                return Err(format!(
                    "index {index} of dimension {dim} leaves {ty} at {point:?}"
                ));
            }
        }
        Ok(())
    }

    fn verify_parallel(&self, access: &Access) -> Result<(), String> {
        let mut used = access.index.iter().flat_map(Affine::iters);
        match used.find(|&i| self.iters[i].kind == IterKind::Reduction) {
            Some(i) => Err(format!("uses the reduction iterator d{i}")),
            None => Ok(()),
        }
    }

    fn verify_write(&self, write: &Access) -> Result<(), String> {
        if write.pad.is_some() {
            return Err("a write is never padded".to_owned());
        }
        let parallel_only: Vec<i64> = self
            .iters
            .iter()
            .map(|i| {
                if i.kind == IterKind::Parallel {
                    i.extent
                } else {
                    1
                }
            })
            .collect();
        match is_injective(&write.index, &parallel_only) {
            true => Ok(()),
            false => Err("two points write the same element".to_owned()),
        }
    }

    fn verify_bodies(&self, slots: &[TensorType]) -> Result<(), String> {
        let element = |a: &Access| slots[a.operand].element;
        let read: Vec<_> = self.reads.iter().map(element).collect();
        if self.body.args != read {
            return Err(format!(
                "the body takes {:?}, the reads are {read:?}",
                self.body.args
            ));
        }
        let mut values = self.body.result_types().map_err(|e| format!("body: {e}"))?;
        let combines = self.combines.len();
        if self.has_reduction() && combines != values.len() {
            return Err(format!("{combines} combiners for {} results", values.len()));
        }
        if !self.has_reduction() && combines > 0 {
            return Err("combiners without a reduction iterator".to_owned());
        }
        values.extend(self.finish_reads.iter().map(element));
        if self.finish.args != values {
            return Err(format!(
                "finish takes {:?}, there are {values:?}",
                self.finish.args
            ));
        }
        let results = self
            .finish
            .result_types()
            .map_err(|e| format!("finish: {e}"))?;
        let written: Vec<ElementType> = self.writes.iter().map(element).collect();
        if results != written {
            return Err(format!(
                "finish gives {results:?}, the writes take {written:?}"
            ));
        }
        self.verify_indices()
    }

    fn verify_indices(&self) -> Result<(), String> {
        use crate::scalar::Inst::Index;
        let index = |inst: &_| if let Index(i) = inst { Some(*i) } else { None };
        let kind = |i: usize| self.iters.get(i).map(|i| i.kind);
        if let Some(i) = self
            .body
            .insts
            .iter()
            .filter_map(index)
            .find(|&i| kind(i).is_none())
        {
            return Err(format!(
                "the body reads iterator d{i}, which does not exist"
            ));
        }
        let parallel = |&i: &usize| kind(i) != Some(IterKind::Parallel);
        match self.finish.insts.iter().filter_map(index).find(parallel) {
            Some(i) => Err(format!("finish reads d{i}, which is no parallel iterator")),
            None => Ok(()),
        }
    }

    fn verify_contract(&self) -> Result<(), String> {
        if self.body.product().is_none() {
            return Err("the body of a contract returns one product".to_owned());
        }
        match &self.combines[..] {
            [c] if c.function == CombineFn::Add && c.init.get() == 0.0 => Ok(()),
            _ => Err("a contract adds, from 0".to_owned()),
        }
    }
}

fn verify_affine(expr: &Affine, iters: usize) -> Result<(), String> {
    match expr {
        Affine::Const(_) => Ok(()),
        Affine::Iter(i) if *i < iters => Ok(()),
        Affine::Iter(i) => Err(format!("iterator d{i} does not exist")),
        Affine::Add(a, b) => verify_affine(a, iters).and_then(|()| verify_affine(b, iters)),
        Affine::Mul(a, _) => verify_affine(a, iters),
        Affine::FloorDiv(a, c) | Affine::Mod(a, c) if *c > 0 => verify_affine(a, iters),
        Affine::FloorDiv(_, c) | Affine::Mod(_, c) => Err(format!("division by {c}")),
    }
}

/// A point where the index lies outside `0..extent`; the ends of a linear expression's range are
/// always reached, others are looked for among the corners of the domain and its first points.
fn outside(index: &Affine, extents: &[i64], extent: i64) -> Option<Vec<i64>> {
    let used = index.iters();
    let points: i64 = used.iter().map(|&i| extents[i]).product();
    let linear = index.simplify(extents).linear(extents.len()).is_some();
    let corners = linear || points > MAX_POINTS_TRIED;
    let count = if corners {
        1 << used.len().min(20)
    } else {
        points
    };
    (0..count)
        .map(|mut n| {
            let mut point = vec![0; extents.len()];
            for &i in &used {
                let e = if corners { 2 } else { extents[i] };
                point[i] = if corners {
                    (n % 2) * (extents[i] - 1)
                } else {
                    n % e
                };
                n /= e;
            }
            point
        })
        .find(|point| !(0..extent).contains(&index.eval(point)))
}

/// The largest domain of which every point is tried when ranges alone do not prove an access inside.
const MAX_POINTS_TRIED: i64 = 1 << 16;

impl Kernel {
    /// Checks every stage ([`Nest::verify`]), that temporaries are written before they are read,
    /// that inputs and constants are never written, and that every output is written.
    ///
    /// # Errors
    /// A sentence on the first invariant that does not hold.
    pub fn verify(&self) -> Result<(), String> {
        let types: Vec<_> = self.slots.iter().map(|s| s.ty.clone()).collect();
        let role = |access: &Access| self.slots[access.operand].role;
        let mut written = vec![false; self.slots.len()];
        for (n, stage) in self.stages.iter().enumerate() {
            stage
                .verify(&types)
                .map_err(|e| format!("stage {n}: {e}"))?;
            for read in stage.reads.iter().chain(&stage.finish_reads) {
                let computed = matches!(role(read), Role::Temporary | Role::Output);
                if computed && !written[read.operand] {
                    let slot = read.operand;
                    return Err(format!("stage {n} reads slot {slot} before it is written"));
                }
            }
            for write in &stage.writes {
                if matches!(role(write), Role::Input | Role::Constant) {
                    return Err(format!(
                        "stage {n} writes slot {}, an operand",
                        write.operand
                    ));
                }
                written[write.operand] = true;
            }
        }
        match self.slots_of(Role::Output).find(|&s| !written[s]) {
            Some(slot) => Err(format!("output slot {slot} is never written")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Slot;
    use crate::nest::{Combine, Iter};
    use crate::scalar::{Body, BodyBuilder, FloatBits, UnaryFn};
    use crate::types::ElementType::{F32, I64};

    fn d(i: usize) -> Affine {
        Affine::Iter(i)
    }

    fn copy(iters: &[i64], from: Vec<Affine>, to: Vec<Affine>) -> Nest {
        Nest::map(
            iters.iter().map(|&e| Iter::parallel(e)).collect(),
            vec![Access::new(0, from)],
            Body::identity([F32]),
            vec![Access::new(1, to)],
        )
    }

    fn message(nest: &Nest) -> String {
        nest.verify(&[TensorType::f32([4, 6]), TensorType::f32([6, 4])])
            .unwrap_err()
    }

    #[test]
    fn a_transpose_verifies() {
        let nest = copy(&[6, 4], vec![d(1), d(0)], vec![d(0), d(1)]);
        assert_eq!(
            nest.verify(&[TensorType::f32([4, 6]), TensorType::f32([6, 4])]),
            Ok(())
        );
    }

    #[test]
    fn accesses_stay_inside() {
        let nest = copy(&[6, 4], vec![d(0), d(1)], vec![d(0), d(1)]);
        assert_eq!(
            message(&nest),
            "read 0: index d0 of dimension 0 leaves tensor<4x6xf32> at [5, 0]"
        );
        let nest = copy(&[6], vec![d(0)], vec![d(0), Affine::ZERO]);
        assert_eq!(
            message(&nest),
            "read 0: 1 index expressions for tensor<4x6xf32>"
        );
        let nest = copy(&[6], vec![d(7), d(0)], vec![d(0), Affine::ZERO]);
        assert_eq!(message(&nest), "read 0: iterator d7 does not exist");
        let nest = copy(&[6], vec![d(0).modulo(0), d(0)], vec![d(0), Affine::ZERO]);
        assert_eq!(message(&nest), "read 0: division by 0");
    }

    #[test]
    fn writes_are_injective_and_parallel() {
        let nest = copy(&[6, 4], vec![d(1), d(0)], vec![d(0), Affine::ZERO]);
        assert_eq!(message(&nest), "write 0: two points write the same element");
        let mut nest = copy(&[6, 4], vec![d(1), d(0)], vec![d(0), d(1)]);
        nest.writes[0].pad = Some(FloatBits::new(0.0));
        assert_eq!(message(&nest), "write 0: a write is never padded");
        nest.iters[1].kind = IterKind::Reduction;
        assert_eq!(message(&nest), "write 0: uses the reduction iterator d1");
        let mut nest = copy(&[6, 4], vec![d(1), d(0)], vec![d(0), d(1)]);
        nest.writes.push(nest.writes[0].clone());
        assert_eq!(message(&nest), "write 1: another write has slot 1 already");
    }

    #[test]
    fn bodies_fit() {
        let good = copy(&[6, 4], vec![d(1), d(0)], vec![d(0), d(1)]);
        let mut nest = good.clone();
        nest.body = Body::identity([I64]);
        assert_eq!(message(&nest), "the body takes [I64], the reads are [F32]");
        let mut nest = good.clone();
        let mut body = BodyBuilder::new([F32]);
        let not = body.unary(UnaryFn::Not, 0);
        nest.body = body.finish(vec![not]);
        assert_eq!(message(&nest), "body: instruction 0: Not of f32");
        let mut nest = good.clone();
        nest.combines = vec![Combine {
            function: CombineFn::Max,
            init: FloatBits::new(0.0),
        }];
        assert_eq!(message(&nest), "combiners without a reduction iterator");
        nest.iters.push(Iter::reduction(3));
        nest.contract = true;
        assert_eq!(message(&nest), "the body of a contract returns one product");
        nest.combines.clear();
        assert_eq!(message(&nest), "0 combiners for 1 results");
        let mut nest = good;
        nest.finish = Body::identity([F32, F32]);
        assert_eq!(message(&nest), "finish takes [F32, F32], there are [F32]");
    }

    #[test]
    fn kernels_write_before_they_read() {
        let slot = |role| Slot::new(TensorType::f32([4]), role);
        let stage = |from, to| {
            Nest::map(
                vec![Iter::parallel(4)],
                vec![Access::new(from, vec![d(0)])],
                Body::identity([F32]),
                vec![Access::new(to, vec![d(0)])],
            )
        };
        let kernel = |stages| Kernel {
            name: "k".into(),
            slots: vec![slot(Role::Input), slot(Role::Temporary), slot(Role::Output)],
            stages,
            schedule: None,
        };
        assert_eq!(kernel(vec![stage(0, 1), stage(1, 2)]).verify(), Ok(()));
        let text = |stages| kernel(stages).verify().unwrap_err();
        let early = vec![stage(1, 2), stage(0, 1)];
        assert_eq!(text(early), "stage 0 reads slot 1 before it is written");
        assert_eq!(text(vec![stage(0, 1)]), "output slot 2 is never written");
        assert_eq!(text(vec![stage(0, 0)]), "stage 0 writes slot 0, an operand");
    }
}
