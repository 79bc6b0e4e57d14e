//! Transfers as calls of the functions in the scratch words.
//!
//! A transfer is described on the stack, in the order of the runtime's `CopyDesc`: destination, source,
//! bytes per element, rank, and for each of five dimensions the extents and the strides of destination
//! and source in bytes, then the engine. Each `npu.copy` of a kernel has a number, its token; a token
//! that stands for no transfer is negative. Dimensions that both sides go through as through one are one; where
//! more than five are left, loops over the shortest ones issue transfers and wait for each.

use melior::ir::ShapedTypeLike;
use melior::ir::attribute::{DenseI32ArrayAttribute, DenseI64ArrayAttribute};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::{IntegerType, MemRefType};
use melior::ir::{
    Attribute, Block, BlockLike, Region, RegionLike, Type, TypeLike, Value, ValueLike,
};
use sinter_ir::build::{Parts, lasting, operation};
use sinter_ir::error::IrError;
use sinter_ir::rewrite::{erase, replace_all_uses};
use sinter_ir::{affine, attr, melior, types};
use sinter_loops::onchip::{TRANSFER_RANK, TransferDim, transfer_dims};

use super::{Lowering, missing};

/// The first scratch word that is the base of a memory space.
pub(super) const SPACE_BASE: i64 = 8;
const COPY: i64 = 1;
const WAIT: i64 = 2;
const RELEASE: i64 = 3;
/// Dimensions of a description.
const RANK: usize = TRANSFER_RANK;
/// Words of a description.
const DESCRIPTION: i64 = 4 + 3 * RANK as i64 + 1;

/// What is the same for every transfer of a copy.
struct Transfer<'c, 'a> {
    dims: &'a [TransferDim],
    /// Points along each dimension of the box.
    sizes: &'a [Value<'c, 'c>],
    element: i64,
    engine: i64,
}

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
                        self.cast(op, lasting(value))
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
        let to = steps(op, "target_map", &target_strides, sizes.len())?;
        let from = steps(op, "source_map", &source_strides, sizes.len())?;
        let dims = static_sizes.iter().zip(to.iter().zip(&from)).enumerate();
        let dims = dims.map(|(of, (&size, (&to, &from)))| TransferDim {
            of,
            extent: (size != i64::MIN).then_some(size),
            steps: [to, from].map(|step| step * element),
        });
        let dims = transfer_dims(dims.collect());
        let transfer = Transfer {
            dims: &dims.moved,
            sizes: &sizes,
            element,
            engine,
        };
        let addresses = [
            self.address(op, target, &target_offsets, &target_strides, element)?,
            self.address(op, source, &source_offsets, &source_strides, element)?,
        ];
        let number = self.tokens;
        self.tokens += 1;
        let token = if dims.looped.is_empty() {
            self.issue(op, &transfer, addresses, number)?
        } else {
            self.looped(op, &transfer, addresses, &dims.looped, number)?;
            self.number(op, -1)?
        };
        replace_all_uses(op.result(0).map_err(missing)?.into(), token);
        erase(op);
        Ok(())
    }

    /// The points along a dimension.
    fn extent(
        &self,
        at: OperationRef<'c, '_>,
        transfer: &Transfer<'c, '_>,
        dim: &TransferDim,
    ) -> Result<Value<'c, 'c>, IrError> {
        match dim.extent {
            Some(extent) => self.number(at, extent),
            None => Ok(transfer.sizes[dim.of]),
        }
    }

    /// Issues one transfer, and gives its token.
    fn issue(
        &self,
        at: OperationRef<'c, '_>,
        transfer: &Transfer<'c, '_>,
        [target, source]: [Value<'c, 'c>; 2],
        token: i64,
    ) -> Result<Value<'c, 'c>, IrError> {
        let mut words = vec![
            target,
            source,
            self.number(at, transfer.element)?,
            self.number(at, RANK as i64)?,
        ];
        let one = self.number(at, 1)?;
        let lead = RANK - transfer.dims.len();
        words.extend(std::iter::repeat_n(one, lead));
        for dim in transfer.dims {
            words.push(self.extent(at, transfer, dim)?);
        }
        for side in 0..2 {
            words.extend(std::iter::repeat_n(one, lead));
            for dim in transfer.dims {
                words.push(self.number(at, dim.steps[side])?);
            }
        }
        words.push(self.number(at, transfer.engine)?);
        let description = self.describe(at, &words)?;
        let token = self.number(at, token)?;
        self.call(at, COPY, &[token, description])?;
        Ok(token)
    }

    /// Issues a transfer for every point of some dimensions, and waits for each.
    fn looped(
        &self,
        at: OperationRef<'c, '_>,
        transfer: &Transfer<'c, '_>,
        addresses: [Value<'c, 'c>; 2],
        dims: &[TransferDim],
        token: i64,
    ) -> Result<(), IrError> {
        let Some((dim, rest)) = dims.split_first() else {
            let token = self.issue(at, transfer, addresses, token)?;
            return self.call(at, WAIT, &[token]);
        };
        let index = Type::index(self.context);
        let end = self.extent(at, transfer, dim)?;
        let end = self.cast_to(at, end, index)?;
        let bounds = vec![self.index(at, 0)?, end, self.index(at, 1)?];
        let region = Region::new();
        let block = region.append_block(Block::new(&[(index, self.place)]));
        let point = lasting(block.argument(0).map_err(missing)?);
        let parts = Parts::default();
        block.append_operation(operation(self.context, "scf.yield", self.place, parts)?);
        let parts = Parts {
            operands: bounds,
            regions: vec![region],
            ..Parts::default()
        };
        let made = self.insert(at, "scf.for", parts)?;
        let body = made.region(0).ok().and_then(|r| r.first_block());
        let end = body.and_then(|block| block.terminator());
        let end = end.ok_or_else(|| IrError::Missing("the end of a loop".into()))?;
        let point = self.cast(end, point)?;
        let mut here = addresses;
        for (address, step) in here.iter_mut().zip(dim.steps) {
            let step = self.number(end, step)?;
            let step = self.binary(end, "arith.muli", point, step)?;
            *address = self.binary(end, "arith.addi", *address, step)?;
        }
        self.looped(end, transfer, here, rest, token)
    }

    pub(super) fn wait(&mut self, op: OperationRef<'c, '_>) -> Result<(), IrError> {
        for token in op.operands() {
            self.call(op, WAIT, &[lasting(token)])?;
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
        self.cast_to(at, index, self.i64())
    }

    fn cast_to(
        &self,
        at: OperationRef<'c, '_>,
        value: Value<'c, 'c>,
        ty: Type<'c>,
    ) -> Result<Value<'c, 'c>, IrError> {
        let parts = Parts {
            operands: vec![value],
            results: vec![ty],
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
        let first = block.first_operation();
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
    Ok((bytes, sinter_loops::types::strides(&shape)))
}
