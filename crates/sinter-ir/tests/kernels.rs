//! Seeded random kernels come back from `tloop.kernel` as they were, also through text and bytecode.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use sinter_ir::kernel::{canonical, destinations};
use sinter_ir::melior::ir::operation::{OperationLike, OperationRef};
use sinter_ir::melior::ir::{BlockLike, Location, Module};
use sinter_ir::{Context, kernel_to_op, module, op_to_kernel};
use sinter_loops::affine::Affine;
use sinter_loops::kernel::{
    GridAxis, Kernel, Layout, PhysicalDim, Role, Schedule, Slot, StageSchedule,
};
use sinter_loops::nest::{Access, Combine, CombineFn, Iter, Nest};
use sinter_loops::scalar::{BinaryFn, Body, CompareFn, FloatBits, Inst, UnaryFn};
use sinter_loops::types::{ElementType, TensorType};

const ELEMENTS: [ElementType; 9] = [
    ElementType::F32,
    ElementType::F64,
    ElementType::F16,
    ElementType::Bf16,
    ElementType::I64,
    ElementType::I32,
    ElementType::I8,
    ElementType::U8,
    ElementType::Bool,
];

fn pick<T: Copy>(rng: &mut SmallRng, list: &[T]) -> T {
    list[rng.random_range(0..list.len())]
}

/// A body of random instructions on these arguments, returning values of these types.
fn random_body(
    rng: &mut SmallRng,
    args: Vec<ElementType>,
    results: &[ElementType],
    iters: usize,
) -> Body {
    let mut body = Body {
        args: args.clone(),
        insts: Vec::new(),
        results: Vec::new(),
    };
    let mut types = args;
    let mut literals = Vec::new();
    for _ in 0..rng.random_range(0..8) {
        push(&mut body, &mut types, &mut literals, rng, iters);
    }
    for &want in results {
        let known = types.iter().rposition(|&t| t == want);
        let reg = known.unwrap_or_else(|| {
            body.insts.push(Inst::Const(want, FloatBits::new(1.0)));
            types.push(want);
            types.len() - 1
        });
        body.results.push(reg);
    }
    body
}

/// Appends one instruction. Literals are kept out of the places where they would spell a function of
/// their own (`x != 0` is a conversion to `i1`).
fn push(
    body: &mut Body,
    types: &mut Vec<ElementType>,
    literals: &mut Vec<usize>,
    rng: &mut SmallRng,
    iters: usize,
) {
    let literal = |rng: &mut SmallRng| {
        let element = pick(rng, &ELEMENTS);
        (
            Inst::Const(element, FloatBits::new(f64::from(rng.random_range(0..2)))),
            element,
        )
    };
    let plain: Vec<usize> = (0..types.len()).filter(|r| !literals.contains(r)).collect();
    if plain.is_empty() || rng.random_ratio(1, 8) {
        literals.push(types.len());
        let (inst, element) = literal(rng);
        body.insts.push(inst);
        types.push(element);
        return;
    }
    let a = pick(rng, &plain);
    let same: Vec<usize> = plain
        .iter()
        .copied()
        .filter(|&r| types[r] == types[a])
        .collect();
    let b = pick(rng, &same);
    let float = types[a].is_float();
    let (inst, element) = match rng.random_range(0..6) {
        0 if float => {
            let all = [
                UnaryFn::Neg,
                UnaryFn::Exp,
                UnaryFn::Rsqrt,
                UnaryFn::Erf,
                UnaryFn::Round,
            ];
            (Inst::Unary(pick(rng, &all), a), types[a])
        }
        0 => (
            Inst::Unary(pick(rng, &[UnaryFn::Neg, UnaryFn::Not]), a),
            types[a],
        ),
        1 if float => {
            let all = [
                BinaryFn::Add,
                BinaryFn::Max,
                BinaryFn::Div,
                BinaryFn::Pow,
                BinaryFn::Rem,
            ];
            (Inst::Binary(pick(rng, &all), a, b), types[a])
        }
        1 => {
            let all = [
                BinaryFn::Sub,
                BinaryFn::Min,
                BinaryFn::Div,
                BinaryFn::And,
                BinaryFn::Xor,
            ];
            (Inst::Binary(pick(rng, &all), a, b), types[a])
        }
        2 => {
            let all = [CompareFn::Eq, CompareFn::Ne, CompareFn::Lt, CompareFn::Ge];
            (Inst::Compare(pick(rng, &all), a, b), ElementType::Bool)
        }
        3 => {
            let half = types[a].bytes() == 2;
            let to = pick(rng, &ELEMENTS);
            if half && to.bytes() == 2 {
                return;
            }
            (Inst::Cast(to, a), to)
        }
        4 if iters > 0 => (Inst::Index(rng.random_range(0..iters)), ElementType::I64),
        _ => match plain
            .iter()
            .copied()
            .find(|&r| types[r] == ElementType::Bool)
        {
            Some(condition) => (Inst::Select(condition, a, b), types[a]),
            None => return,
        },
    };
    body.insts.push(inst);
    types.push(element);
}

fn iter(i: usize) -> Affine {
    Affine::Iter(i)
}

/// Reads of an operand of the domain's own shape, or of a vector along one iterator.
fn random_read(rng: &mut SmallRng, slots: &mut Vec<Slot>, iters: &[Iter], upto: usize) -> Access {
    let along = rng.random_range(0..upto);
    let extent = iters[along].extent;
    let (shape, index, pad) = match rng.random_range(0..3) {
        0 => {
            let shape: Vec<i64> = iters[..upto].iter().map(|i| i.extent).collect();
            (shape, (0..upto).map(iter).collect(), None)
        }
        1 => {
            let shifted = Affine::Add(
                Box::new(Affine::Mul(Box::new(iter(along)), 2)),
                Box::new(Affine::Const(-1)),
            );
            (
                vec![2 * extent - 2],
                vec![shifted],
                Some(FloatBits::new(f64::NEG_INFINITY)),
            )
        }
        _ => {
            let outer = Affine::FloorDiv(Box::new(iter(along)), 2);
            let inner = Affine::Mod(Box::new(iter(along)), 2);
            (vec![(extent + 1) / 2, 2], vec![outer, inner], None)
        }
    };
    let role = pick(rng, &[Role::Input, Role::Constant]);
    slots.push(Slot {
        ty: TensorType::new(pick(rng, &ELEMENTS), shape),
        role,
        layout: None,
    });
    Access {
        operand: slots.len() - 1,
        index,
        pad,
    }
}

fn random_stage(
    rng: &mut SmallRng,
    slots: &mut Vec<Slot>,
    temporary: Option<usize>,
    last: bool,
) -> Nest {
    let parallel = rng.random_range(1..3);
    let mut iters: Vec<Iter> = (0..parallel)
        .map(|_| Iter::parallel(rng.random_range(2..6)))
        .collect();
    if rng.random_ratio(1, 2) {
        iters.push(Iter::reduction(rng.random_range(2..6)));
    }
    let mut reads: Vec<Access> = (0..rng.random_range(1..3))
        .map(|_| random_read(rng, slots, &iters, iters.len()))
        .collect();
    if let Some(slot) = temporary {
        let index = vec![Affine::Const(0); slots[slot].ty.rank()];
        reads.push(Access {
            operand: slot,
            index,
            pad: None,
        });
    }
    let reduces = iters.len() > parallel;
    let outs: Vec<ElementType> = (0..rng.random_range(1..3))
        .map(|_| pick(rng, &ELEMENTS))
        .collect();
    let combine = |rng: &mut SmallRng| Combine {
        function: pick(
            rng,
            &[
                CombineFn::Add,
                CombineFn::Mul,
                CombineFn::Max,
                CombineFn::Min,
            ],
        ),
        init: FloatBits::new(pick(rng, &[0.0, 1.0, f64::NEG_INFINITY])),
    };
    let args = reads.iter().map(|r| slots[r.operand].ty.element).collect();
    let body = random_body(rng, args, &outs, iters.len());
    let combines = if reduces {
        outs.iter().map(|_| combine(rng)).collect()
    } else {
        Vec::new()
    };
    let (finish_reads, finish) = if rng.random_ratio(1, 2) {
        (Vec::new(), Body::identity(outs.clone()))
    } else {
        let read = random_read(rng, slots, &iters, parallel);
        let pad_free = Access { pad: None, ..read };
        let args = outs
            .iter()
            .copied()
            .chain([slots[pad_free.operand].ty.element])
            .collect();
        (vec![pad_free], random_body(rng, args, &outs, parallel))
    };
    let shape: Vec<i64> = iters[..parallel].iter().map(|i| i.extent).collect();
    let writes = outs
        .iter()
        .enumerate()
        .map(|(i, &element)| {
            let role = if last || i > 0 {
                Role::Output
            } else {
                Role::Temporary
            };
            let layout = (role == Role::Output && parallel == 2).then(|| Layout {
                dims: vec![PhysicalDim::Whole(1), PhysicalDim::Whole(0)],
            });
            slots.push(Slot {
                ty: TensorType::new(element, shape.clone()),
                role,
                layout,
            });
            Access {
                operand: slots.len() - 1,
                index: (0..parallel).map(iter).collect(),
                pad: None,
            }
        })
        .collect();
    let origins = (0..rng.random_range(0..3))
        .map(|i| format!("node{i}"))
        .collect();
    Nest {
        iters,
        reads,
        body,
        combines,
        finish_reads,
        finish,
        writes,
        contract: false,
        origins,
    }
}

fn random_kernel(seed: u64) -> Kernel {
    let rng = &mut SmallRng::seed_from_u64(seed);
    let mut slots = Vec::new();
    let count = rng.random_range(1..4);
    let mut stages: Vec<Nest> = Vec::new();
    for i in 0..count {
        let temporary = stages.last().map(|nest| nest.writes[0].operand);
        stages.push(random_stage(rng, &mut slots, temporary, i + 1 == count));
    }
    let schedule = rng.random_ratio(1, 2).then(|| Schedule {
        grid: vec![GridAxis {
            extent: 4,
            tile: 2,
            iters: vec![Some(0); count],
        }],
        stages: stages
            .iter()
            .map(|nest| StageSchedule {
                order: (0..nest.iters.len()).collect(),
                vector: Some(0),
                lanes: 8,
                vectors: 1,
                row_tile: 1,
                jam: None,
                unroll: 1,
                ..StageSchedule::default()
            })
            .collect(),
    });
    canonical(&Kernel {
        name: format!("k{seed}"),
        slots,
        stages,
        schedule,
    })
}

/// A finish read of a padded operand is inside it only by its pad, which the generator drops; the
/// access is then wrong, and such a kernel is left out.
fn is_inside(kernel: &Kernel) -> bool {
    kernel.stages.iter().all(|nest| {
        nest.finish_reads.iter().all(|read| {
            let shape = &kernel.slots[read.operand].ty.shape;
            read.index
                .iter()
                .zip(shape)
                .all(|(e, &n)| e.range(&nest.extents()).is_inside(n))
        })
    })
}

fn holding<'c>(context: &'c Context, kernel: &Kernel) -> Module<'c> {
    let module = Module::new(Location::unknown(context));
    module
        .body()
        .append_operation(kernel_to_op(context, kernel).unwrap());
    module::verify(&module.as_operation())
        .unwrap_or_else(|error| panic!("{error}\n{}", module.as_operation()));
    module
}

fn first<'c, 'a>(module: &'a Module<'c>) -> OperationRef<'c, 'a> {
    module.body().first_operation().unwrap()
}

#[test]
fn random_kernels_come_back() {
    let context = Context::new();
    let mut tried = 0;
    for kernel in (0..300).map(random_kernel).filter(is_inside) {
        let module = holding(&context, &kernel);
        let back = op_to_kernel(first(&module)).unwrap();
        assert_eq!(back, kernel, "{}", module.as_operation());

        let options = module::PrintOptions {
            locations: true,
            ..Default::default()
        };
        let text = module::print(&module.as_operation(), options).unwrap();
        let parsed = context
            .parse(&text)
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(op_to_kernel(first(&parsed)).unwrap(), kernel, "{text}");
        tried += 1;
    }
    assert!(tried > 100, "only {tried} kernels were tried");
}

#[test]
fn bytecode_holds_the_same() {
    let context = Context::new();
    let kernel = random_kernel(1);
    let module = holding(&context, &kernel);
    let parsed = context
        .parse(module.as_operation().write_bytecode())
        .unwrap();
    assert_eq!(op_to_kernel(first(&parsed)).unwrap(), kernel);
}

/// `out[i, offset + j] = a[i, j]`.
fn copy_into(a: usize, out: usize, extents: [i64; 2], offset: i64) -> Nest {
    let body = Body::identity(vec![ElementType::F32]);
    let shifted = Affine::Add(Box::new(iter(1)), Box::new(Affine::Const(offset)));
    let column = if offset == 0 { iter(1) } else { shifted };
    Nest::map(
        extents.map(Iter::parallel).to_vec(),
        vec![Access::new(a, vec![iter(0), iter(1)])],
        body,
        vec![Access::new(out, vec![iter(0), column])],
    )
}

fn slot(shape: [i64; 2], role: Role) -> Slot {
    Slot {
        ty: TensorType::f32(shape),
        role,
        layout: None,
    }
}

#[test]
fn a_part_of_a_buffer_has_a_destination() {
    let context = Context::new();
    let kernel = Kernel {
        name: "part".into(),
        slots: vec![slot([2, 3], Role::Input), slot([2, 8], Role::Output)],
        stages: vec![copy_into(0, 1, [2, 3], 5)],
        schedule: None,
    };
    assert_eq!(destinations(&kernel), [1]);
    let module = holding(&context, &kernel);
    let text = module.as_operation().to_string();
    assert!(text.contains(r#"roles = ["input", "output"]"#), "{text}");
    assert_eq!(op_to_kernel(first(&module)).unwrap(), kernel);
}

#[test]
fn parts_that_make_the_whole_need_no_destination() {
    let context = Context::new();
    let kernel = Kernel {
        name: "concat".into(),
        slots: vec![
            slot([2, 3], Role::Input),
            slot([2, 5], Role::Input),
            slot([2, 8], Role::Output),
        ],
        stages: vec![copy_into(0, 2, [2, 3], 0), copy_into(1, 2, [2, 5], 3)],
        schedule: None,
    };
    assert_eq!(destinations(&kernel), [0usize; 0]);
    let module = holding(&context, &kernel);
    assert_eq!(op_to_kernel(first(&module)).unwrap(), kernel);
}

#[test]
fn contractions_are_their_own_operation() {
    let context = Context::new();
    let element = ElementType::F32;
    let body = Body {
        args: vec![element; 2],
        insts: vec![Inst::Binary(BinaryFn::Mul, 0, 1)],
        results: vec![2],
    };
    let product = Nest {
        iters: vec![Iter::parallel(4), Iter::parallel(8), Iter::reduction(16)],
        reads: vec![
            Access::new(0, vec![iter(0), iter(2)]),
            Access::new(1, vec![iter(2), iter(1)]),
        ],
        body,
        combines: vec![Combine {
            function: CombineFn::Add,
            init: FloatBits::new(0.0),
        }],
        finish_reads: vec![],
        finish: Body::identity(vec![element]),
        writes: vec![Access::new(2, vec![iter(0), iter(1)])],
        contract: true,
        origins: vec!["MatMul_0".into()],
    };
    let mut scaled = product.clone();
    scaled.body.insts.insert(0, Inst::Unary(UnaryFn::Exp, 0));
    scaled.body.insts[1] = Inst::Binary(BinaryFn::Mul, 2, 1);
    scaled.body.results = vec![3];
    for (nest, spelling) in [
        (product, "tloop.contract domain"),
        (scaled, "{tloop.contract}"),
    ] {
        let kernel = Kernel {
            name: "mm".into(),
            slots: vec![
                slot([4, 16], Role::Input),
                slot([16, 8], Role::Constant),
                slot([4, 8], Role::Output),
            ],
            stages: vec![nest],
            schedule: None,
        };
        let module = holding(&context, &kernel);
        let text = module.as_operation().to_string();
        assert!(text.contains(spelling), "{text}");
        assert_eq!(op_to_kernel(first(&module)).unwrap(), kernel);
    }
}
