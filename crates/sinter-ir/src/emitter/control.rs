//! `scf` and `func` operations, opened and closed in pairs.

use melior::ir::attribute::{StringAttribute, TypeAttribute};
use melior::ir::operation::OperationBuilder;
use melior::ir::r#type::FunctionType;
use melior::ir::{
    Attribute, Block, BlockLike, BlockRef, Identifier, Region, RegionLike, Type, ValueLike,
};
use melior::ir::{Location, Operation};

use super::{Emitter, Value, lasting_block, nth_result};

/// An `scf.for` that is being filled.
pub struct For<'c> {
    /// The induction variable.
    pub iv: Value<'c>,
    /// The loop-carried values at the start of an iteration.
    pub args: Vec<Value<'c>>,
    operands: Vec<Value<'c>>,
    region: Region<'c>,
    outer: Place<'c>,
}

/// An `scf.if` that is being filled.
pub struct If<'c> {
    condition: Value<'c>,
    results: Vec<Type<'c>>,
    regions: Vec<Region<'c>>,
    outer: Place<'c>,
}

/// Where an emitter was before it went into a region.
type Place<'c> = (
    BlockRef<'c, 'c>,
    Option<melior::ir::operation::OperationRef<'c, 'c>>,
);

impl<'c> Emitter<'c> {
    fn enter(&mut self, arguments: &[Type<'c>]) -> (Region<'c>, Place<'c>) {
        let outer = (self.block, self.before.take());
        let arguments: Vec<_> = arguments.iter().map(|&t| (t, self.location)).collect();
        let region = Region::new();
        self.block = lasting_block(region.append_block(Block::new(&arguments)));
        (region, outer)
    }

    fn leave(&mut self, outer: Place<'c>) {
        (self.block, self.before) = outer;
    }

    fn argument(&self, n: usize) -> Value<'c> {
        self.block
            .argument(n)
            .unwrap_or_else(|e| panic!("no block argument {n}: {e}"))
            .into()
    }

    fn with_regions(
        &mut self,
        name: &str,
        operands: &[Value<'c>],
        results: &[Type<'c>],
        regions: Vec<Region<'c>>,
    ) -> Vec<Value<'c>> {
        let operation = OperationBuilder::new(name, self.location)
            .add_operands(operands)
            .add_results(results)
            .add_regions_vec(regions)
            .build()
            .unwrap_or_else(|error| panic!("cannot build {name}: {error}"));
        let operation = self.insert(operation);
        (0..results.len())
            .map(|n| nth_result(operation, n))
            .collect()
    }

    /// Opens `scf.for` from `lower` to `upper` by `step`, carrying `inits`. What is emitted next goes
    /// into its body, until [`Emitter::end_for`].
    pub fn begin_for(
        &mut self,
        lower: Value<'c>,
        upper: Value<'c>,
        step: Value<'c>,
        inits: &[Value<'c>],
    ) -> For<'c> {
        let mut types = vec![lower.r#type()];
        types.extend(inits.iter().map(|v| v.r#type()));
        let (region, outer) = self.enter(&types);
        let args = (1..types.len()).map(|n| self.argument(n)).collect();
        let mut operands = vec![lower, upper, step];
        operands.extend_from_slice(inits);
        For {
            iv: self.argument(0),
            args,
            operands,
            region,
            outer,
        }
    }

    /// Closes a loop: `yields` are carried to the next iteration. Returns the loop's results.
    pub fn end_for(&mut self, open: For<'c>, yields: &[Value<'c>]) -> Vec<Value<'c>> {
        self.op("scf.yield", yields, &[], &[]);
        self.leave(open.outer);
        let results: Vec<_> = yields.iter().map(|v| v.r#type()).collect();
        self.with_regions("scf.for", &open.operands, &results, vec![open.region])
    }

    /// Opens the first branch of `scf.if`.
    pub fn begin_if(&mut self, condition: Value<'c>, results: &[Type<'c>]) -> If<'c> {
        let (region, outer) = self.enter(&[]);
        If {
            condition,
            results: results.to_vec(),
            regions: vec![region],
            outer,
        }
    }

    /// Closes the first branch and opens the second.
    pub fn begin_else(&mut self, open: &mut If<'c>, yields: &[Value<'c>]) {
        self.op("scf.yield", yields, &[], &[]);
        let (region, _) = self.enter(&[]);
        open.regions.push(region);
    }

    /// Closes an `scf.if`. Returns its results.
    pub fn end_if(&mut self, mut open: If<'c>, yields: &[Value<'c>]) -> Vec<Value<'c>> {
        self.op("scf.yield", yields, &[], &[]);
        if open.regions.len() == 1 {
            open.regions.push(Region::new());
        }
        self.leave(open.outer);
        self.with_regions("scf.if", &[open.condition], &open.results, open.regions)
    }
}

/// A `func.func` without results whose body `fill` emits from the arguments; `func.return` is added.
///
/// `attributes` are put on the function (for instance `arg_attrs`).
///
/// # Errors
/// What `fill` returns.
pub fn function<'c, E>(
    context: &'c melior::Context,
    location: Location<'c>,
    name: &str,
    arguments: &[Type<'c>],
    attributes: &[(&str, Attribute<'c>)],
    fill: impl FnOnce(&mut Emitter<'c>, &[Value<'c>]) -> Result<(), E>,
) -> Result<Operation<'c>, E> {
    let typed: Vec<_> = arguments.iter().map(|&t| (t, location)).collect();
    let region = Region::new();
    let block = region.append_block(Block::new(&typed));
    let mut emitter = Emitter::new(context, location, block);
    let values: Vec<Value<'c>> = (0..arguments.len()).map(|n| emitter.argument(n)).collect();
    fill(&mut emitter, &values)?;
    emitter.op("func.return", &[], &[], &[]);
    let mut all = vec![
        ("sym_name", StringAttribute::new(context, name).into()),
        (
            "function_type",
            TypeAttribute::new(FunctionType::new(context, arguments, &[]).into()).into(),
        ),
    ];
    all.extend_from_slice(attributes);
    let all: Vec<_> = all
        .into_iter()
        .map(|(n, a)| (Identifier::new(context, n), a))
        .collect();
    Ok(OperationBuilder::new("func.func", location)
        .add_attributes(&all)
        .add_regions([region])
        .build()
        .unwrap_or_else(|error| panic!("cannot build func.func: {error}")))
}
