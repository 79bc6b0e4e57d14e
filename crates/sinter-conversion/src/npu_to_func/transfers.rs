//! Transfers as calls of the functions in the scratch words.
//!
//! A transfer is described on the stack, in the order of the runtime's `CopyDesc`: destination, source,
//! bytes per element, rank, and for each of five dimensions the extents and the strides of destination
//! and source in bytes, then the engine. Each `npu.copy` of a kernel has a number, its token; a token
//! that stands for no transfer is negative.

use melior::ir::ShapedTypeLike;
use melior::ir::attribute::{DenseI32ArrayAttribute, DenseI64ArrayAttribute};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::{IntegerType, MemRefType};
use melior::ir::{Attribute, Type, TypeLike, Value, ValueLike};
use sinter_ir::build::Parts;
use sinter_ir::error::IrError;
use sinter_ir::rewrite::{erase, replace_all_uses};
use sinter_ir::{affine, attr, melior, types};

use super::{Lowering, missing};

/// The first scratch word that is the base of a memory space.
pub(super) const SPACE_BASE: i64 = 8;
const COPY: i64 = 1;
const WAIT: i64 = 2;
const RELEASE: i64 = 3;
/// Dimensions of a description.
const RANK: usize = 5;
/// Words of a description.
const DESCRIPTION: i64 = 4 + 3 * RANK as i64 + 1;

impl<'c> Lowering<'c> {
    pub(super) fn copy(&mut self, op: OperationRef<'c, '_>) -> Result<(), IrError> {
        let source = op.operand(0).map_err(missing)?;
        let target = op.operand(1).map_err(missing)?;
        let mut dynamic = op.operands().skip(2);
        let mut list = |key: &str| -> Result<Vec<Value<'c, 'c>>, IrError> {
            let fixed = op
                .attribute(key)
                .ok()
                .and_then(attr::as_ints)
                .unwrap_or_default();
            fixed
                .into_iter()
                .map(|n| match n {
                    i64::MIN => {
                        let value = dynamic.next();
                        let value =
                            value.ok_or_else(|| IrError::Missing(format!("a value of {key}")))?;
                        self.cast(op, sinter_ir::build::lasting(value))
                    }
                    n => self.number(op, n),
                })
                .collect()
        };
        let source_offsets = list("static_source_offsets")?;
        let target_offsets = list("static_target_offsets")?;
        let sizes = list("static_sizes")?;
        let engine = op.attribute("engine").map_err(missing)?.to_string();
        let engines = [
            "scalar", "vector", "cube", "mte1", "mte2", "mte3", "fixpipe",
        ];
        let engine = engines.iter().position(|e| engine.contains(e)).unwrap_or(0) as i64;

        let (element, target_strides) = strides(target)?;
        let (_, source_strides) = strides(source)?;
        if op.has_attribute("post_op") {
            return Err(IrError::Refused(
                "a transfer with a post_op has no lowering".into(),
            ));
        }
        let static_sizes = op.attribute("static_sizes").ok().and_then(attr::as_ints);
        let static_sizes = static_sizes.unwrap_or_default();
        // Dimensions of one element say nothing.
        let kept: Vec<usize> = (0..sizes.len()).filter(|&d| static_sizes[d] != 1).collect();
        if kept.len() > RANK {
            return Err(IrError::Refused(format!(
                "a transfer over {} dimensions has no lowering: it may have {RANK}",
                kept.len()
            )));
        }
        let steps = [
            ("target_map", &target_strides),
            ("source_map", &source_strides),
        ]
        .map(|(map, strides)| steps(op, map, strides, sizes.len()));
        let mut words = vec![
            self.address(op, target, &target_offsets, &target_strides, element)?,
            self.address(op, source, &source_offsets, &source_strides, element)?,
            self.number(op, element)?,
            self.number(op, RANK as i64)?,
        ];
        let one = self.number(op, 1)?;
        let lead = RANK - kept.len();
        words.extend(std::iter::repeat_n(one, lead));
        words.extend(kept.iter().map(|&d| sizes[d]));
        for steps in steps {
            let steps = steps?;
            words.extend(std::iter::repeat_n(one, lead));
            for &d in &kept {
                words.push(self.number(op, steps[d] * element)?);
            }
        }
        words.push(self.number(op, engine)?);

        let description = self.describe(op, &words)?;
        let token = self.number(op, self.tokens)?;
        self.tokens += 1;
        self.call(op, COPY, &[token, description])?;
        replace_all_uses(op.result(0).map_err(missing)?.into(), token);
        erase(op);
        Ok(())
    }

    pub(super) fn wait(&mut self, op: OperationRef<'c, '_>) -> Result<(), IrError> {
        for token in op.operands() {
            self.call(op, WAIT, &[sinter_ir::build::lasting(token)])?;
        }
        erase(op);
        Ok(())
    }

    pub(super) fn ready(&mut self, op: OperationRef<'c, '_>) -> Result<(), IrError> {
        let none = self.number(op, -1)?;
        replace_all_uses(op.result(0).map_err(missing)?.into(), none);
        erase(op);
        Ok(())
    }

    pub(super) fn release(&mut self, op: OperationRef<'c, '_>) -> Result<(), IrError> {
        let tile = op.operand(0).map_err(missing)?;
        let bytes = types::from_memref_type(tile.r#type())?
            .iter()
            .product::<i64>();
        let (element, _) = strides(tile)?;
        let address = self.address(op, tile, &[], &[], element)?;
        let bytes = self.number(op, bytes * element)?;
        self.call(op, RELEASE, &[address, bytes])?;
        erase(op);
        Ok(())
    }

    /// Address of an element as a number.
    fn address(
        &self,
        at: OperationRef<'c, '_>,
        memref: Value<'c, '_>,
        offsets: &[Value<'c, 'c>],
        strides: &[i64],
        element: i64,
    ) -> Result<Value<'c, 'c>, IrError> {
        let parts = Parts {
            operands: vec![memref],
            results: vec![Type::index(self.context)],
            ..Parts::default()
        };
        let base = self.before(at, "memref.extract_aligned_pointer_as_index", parts)?;
        let mut address = self.cast(at, base)?;
        for (&offset, stride) in offsets.iter().zip(strides) {
            let stride = self.number(at, stride * element)?;
            let step = self.binary(at, "arith.muli", offset, stride)?;
            address = self.binary(at, "arith.addi", address, step)?;
        }
        Ok(address)
    }

    fn binary(
        &self,
        at: OperationRef<'c, '_>,
        name: &str,
        a: Value<'c, 'c>,
        b: Value<'c, 'c>,
    ) -> Result<Value<'c, 'c>, IrError> {
        let parts = Parts {
            operands: vec![a, b],
            results: vec![self.i64()],
            ..Parts::default()
        };
        self.before(at, name, parts)
    }

    fn cast(
        &self,
        at: OperationRef<'c, '_>,
        index: Value<'c, 'c>,
    ) -> Result<Value<'c, 'c>, IrError> {
        let parts = Parts {
            operands: vec![index],
            results: vec![self.i64()],
            ..Parts::default()
        };
        self.before(at, "arith.index_cast", parts)
    }

    /// Words on the stack, and their address as a number. Calls are far apart and few: the stack
    /// memory is taken and given back around each.
    fn describe(
        &self,
        at: OperationRef<'c, '_>,
        words: &[Value<'c, 'c>],
    ) -> Result<Value<'c, 'c>, IrError> {
        let memref = MemRefType::new(self.i64(), &[DESCRIPTION], None, None).into();
        let segments = DenseI32ArrayAttribute::new(self.context, &[0, 0]).into();
        let parts = Parts {
            results: vec![memref],
            attributes: vec![("operandSegmentSizes", segments)],
            ..Parts::default()
        };
        // In the function's entry block, so that a loop does not grow the stack.
        let description = self.at_entry("memref.alloca", parts)?;
        for (i, &word) in words.iter().enumerate() {
            let index = self.index(at, i as i64)?;
            let operands = vec![word, description, index];
            self.insert(
                at,
                "memref.store",
                Parts {
                    operands,
                    ..Parts::default()
                },
            )?;
        }
        self.address(at, description, &[], &[], 8)
    }

    fn at_entry(&self, name: &str, parts: Parts<'c, '_>) -> Result<Value<'c, 'c>, IrError> {
        let argument = melior::ir::block::BlockArgument::try_from(self.scratch).map_err(missing)?;
        let block = argument.owner();
        let first = melior::ir::BlockLike::first_operation(&block);
        let first = first.ok_or_else(|| IrError::Missing("an empty function".into()))?;
        self.before(first, name, parts)
    }

    /// Calls a function of the scratch words with the context and some numbers.
    fn call(
        &self,
        at: OperationRef<'c, '_>,
        function: i64,
        arguments: &[Value<'c, 'c>],
    ) -> Result<(), IrError> {
        let context = self.word(at, 0)?;
        let function = self.word(at, function)?;
        let mut operands = vec![self.pointer(at, function)?, context];
        operands.extend(arguments);
        let segments = [operands.len() as i32, 0];
        let parts = Parts {
            operands,
            attributes: vec![
                (
                    "operandSegmentSizes",
                    DenseI32ArrayAttribute::new(self.context, &segments).into(),
                ),
                (
                    "op_bundle_sizes",
                    DenseI32ArrayAttribute::new(self.context, &[]).into(),
                ),
            ],
            ..Parts::default()
        };
        self.insert(at, "llvm.call", parts).map(|_| ())
    }

    /// A scratch word.
    pub(super) fn word(
        &self,
        at: OperationRef<'c, '_>,
        number: i64,
    ) -> Result<Value<'c, 'c>, IrError> {
        let index = self.index(at, number)?;
        let parts = Parts {
            operands: vec![self.scratch, index],
            results: vec![self.i64()],
            ..Parts::default()
        };
        self.before(at, "memref.load", parts)
    }

    /// A number as a pointer.
    pub(super) fn pointer(
        &self,
        at: OperationRef<'c, '_>,
        number: Value<'c, 'c>,
    ) -> Result<Value<'c, 'c>, IrError> {
        let results = vec![self.llvm("!llvm.ptr")?];
        let parts = Parts {
            operands: vec![number],
            results,
            ..Parts::default()
        };
        self.before(at, "llvm.inttoptr", parts)
    }

    fn llvm(&self, text: &str) -> Result<Type<'c>, IrError> {
        Type::parse(self.context, text)
            .ok_or_else(|| IrError::Unsupported(format!("type '{text}'")))
    }

    /// The bytes at a pointer as a memref of unstated length.
    pub(super) fn bytes_at(
        &self,
        at: OperationRef<'c, '_>,
        pointer: Value<'c, 'c>,
    ) -> Result<Value<'c, 'c>, IrError> {
        let descriptor =
            self.llvm("!llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>")?;
        let parts = Parts {
            results: vec![descriptor],
            ..Parts::default()
        };
        let mut value = self.before(at, "llvm.mlir.poison", parts)?;
        let (zero, one) = (self.number(at, 0)?, self.number(at, 1)?);
        let length = self.number(at, i64::from(i32::MAX))?;
        let fields: [(Value<'c, 'c>, &[i64]); 5] = [
            (pointer, &[0]),
            (pointer, &[1]),
            (zero, &[2]),
            (length, &[3, 0]),
            (one, &[4, 0]),
        ];
        for (field, position) in fields {
            let position: Attribute<'c> =
                DenseI64ArrayAttribute::new(self.context, position).into();
            let parts = Parts {
                operands: vec![value, field],
                results: vec![descriptor],
                attributes: vec![("position", position)],
                ..Parts::default()
            };
            value = self.before(at, "llvm.insertvalue", parts)?;
        }
        let bytes = Type::parse(self.context, "memref<?xi8>")
            .ok_or_else(|| IrError::Unsupported("type 'memref<?xi8>'".into()))?;
        let parts = Parts {
            operands: vec![value],
            results: vec![bytes],
            ..Parts::default()
        };
        self.before(at, "builtin.unrealized_conversion_cast", parts)
    }
}

/// Elements from one point of a transfer's box to the next along each of its dimensions.
fn steps(
    op: OperationRef<'_, '_>,
    map: &str,
    strides: &[i64],
    sizes: usize,
) -> Result<Vec<i64>, IrError> {
    let Ok(map) = op.attribute(map) else {
        return Ok(strides[strides.len() - sizes.min(strides.len())..].to_vec());
    };
    let (_, index) = affine::from_map_attribute(map)?;
    let factors = index
        .iter()
        .map(|e| e.linear(sizes).map(|(factors, _)| factors));
    let mut steps = vec![0; sizes];
    for (factors, stride) in factors.zip(strides) {
        let factors = factors.ok_or_else(|| IrError::Refused("a map that is not linear".into()))?;
        for (step, factor) in steps.iter_mut().zip(factors) {
            *step += factor * stride;
        }
    }
    Ok(steps)
}

/// Bytes of an element, and row-major strides in elements.
fn strides(memref: Value<'_, '_>) -> Result<(i64, Vec<i64>), IrError> {
    let ty = memref.r#type();
    let shape = types::from_memref_type(ty)?;
    let element = MemRefType::try_from(ty).map_err(missing)?.element();
    let bytes = match IntegerType::try_from(element) {
        Ok(integer) => i64::from(integer.width().div_ceil(8)),
        Err(_) if element.is_f64() => 8,
        Err(_) if element.is_f32() => 4,
        Err(_) => 2,
    };
    let mut strides = vec![1; shape.len()];
    for d in (0..shape.len().saturating_sub(1)).rev() {
        strides[d] = strides[d + 1] * shape[d + 1];
    }
    Ok((bytes, strides))
}
