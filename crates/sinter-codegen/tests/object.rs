//! Shared objects: reproducible, closed, and refused with a reason.

mod common;
#[path = "../../sinter-loops/tests/programs/mod.rs"]
mod programs;

use common::schedules::random_schedule;
use melior::ir::{Location, Module};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use sinter_codegen::{
    CodegenError, KernelAbi, Target, assembly, compile, ir_text, lower, translate,
};
use sinter_conversion::host::{EmitError, HostTarget, emit_function};
use sinter_loops::kernel::Kernel;
use sinter_loops::place_stages;

fn kernels(seeds: std::ops::Range<u64>) -> Vec<Kernel> {
    seeds
        .filter_map(|seed| {
            let mut kernel = place_stages(programs::random(seed)).ok()?;
            let mut rng = SmallRng::seed_from_u64(seed);
            kernel.schedule = Some(random_schedule(&kernel, &mut rng));
            Some(kernel)
        })
        .collect()
}

#[test]
fn bytes_do_not_depend_on_threads() {
    let target = Target::host();
    let modules: Vec<_> = kernels(0..6)
        .chunks(2)
        .map(|some| common::module(some, &target).0)
        .collect();
    // Every module has kernels of the same names, so each is linked alone.
    for module in modules {
        let one = compile(std::slice::from_ref(&module), &target, 1).expect("an object");
        let two = compile(&[module], &target, 2).expect("an object");
        assert_eq!(one, two);
    }
}

#[test]
fn text_of_each_level() {
    let target = Target::host();
    let (module, _) = common::module(&kernels(0..1), &target);
    let text = ir_text(&module, &target, false).expect("LLVM IR");
    assert!(
        text.contains("define void @k0(ptr %0, ptr %1, i64 %2, i64 %3, ptr %4)"),
        "{text}"
    );
    assert!(text.contains("define private void @k0.block("), "{text}");
    let text = ir_text(&module, &target, true).expect("LLVM IR");
    assert!(
        !text.contains("define private"),
        "the block is inlined:\n{text}"
    );
    let text = assembly(&module, &target).expect("assembly");
    assert!(text.contains("k0:"), "{text}");
}

#[test]
fn stores_past_the_caches_are_settled_once_for_all_blocks() {
    let text = |nontemporal: bool| {
        let kernel = format!(
            "func.func @k(%block: index) {{
                %m = memref.alloca() : memref<16xf32>
                %v = arith.constant dense<0.0> : vector<16xf32>
                vector.store %v, %m[%block] {{nontemporal = {nontemporal}}} : memref<16xf32>, vector<16xf32>
                return
            }}"
        );
        ir_text(
            &translated(&kernel, "k").expect("a module"),
            &Target::host(),
            false,
        )
        .expect("IR")
    };
    let settled = text(true);
    let (_, exit) = settled.split_once("\nexit:").expect("an exit");
    assert!(exit.contains("  fence seq_cst\n  ret void"), "{settled}");
    assert_eq!(settled.matches("fence").count(), 1, "{settled}");
    assert!(!text(false).contains("fence"));
}

fn translated(text: &str, symbol: &str) -> Result<sinter_codegen::Bitcode, CodegenError> {
    let context = common::context();
    let mut module = Module::parse(&context, text).expect("the module parses");
    lower(&context, &mut module)?;
    let abi = KernelAbi {
        symbol: symbol.into(),
        buffers: 0,
        temporaries: vec![],
        in_place: vec![],
    };
    translate(&module, &[abi], &Target::host())
}

#[test]
fn undefined_symbols_are_refused() {
    let text = "func.func private @missing()
                func.func @k(%block: index) { func.call @missing() : () -> () return }";
    let module = translated(text, "k").expect("a module");
    let error = compile(&[module], &Target::host(), 1).expect_err("a symbol is missing");
    assert!(
        error.to_string().contains("undefined symbol: missing"),
        "{error}"
    );
}

#[test]
fn missing_kernels_are_refused() {
    let error = translated("func.func @k(%block: index) { return }", "other");
    assert_eq!(
        error.expect_err("no such kernel").to_string(),
        "the module has no function other"
    );
}

#[test]
fn unknown_targets_are_refused() {
    let text = "func.func @k(%block: index) { return }";
    let module = translated(text, "k").expect("a module");
    let target = Target {
        triple: "abacus".into(),
        cpu: String::new(),
        features: String::new(),
    };
    let error = compile(&[module], &target, 1).expect_err("no such target");
    assert!(error.to_string().starts_with("LLVM: "), "{error}");
}

#[test]
fn schedules_that_do_not_fit_are_refused() {
    let context = common::context();
    let location = Location::unknown(&context);
    let mut kernel = kernels(0..1).remove(0);
    let refused = |kernel: &Kernel| {
        emit_function(&context, location, kernel, HostTarget::plain(u64::MAX)).err()
    };
    let mut wrong = kernel.clone();
    if let Some(schedule) = &mut wrong.schedule {
        schedule.stages[0].order.pop();
    }
    let reason = "the order is not a permutation of the iterators";
    assert!(
        refused(&wrong)
            .expect("a refusal")
            .to_string()
            .ends_with(reason)
    );
    kernel.schedule = None;
    assert_eq!(
        refused(&kernel),
        Some(EmitError::NoSchedule(kernel.name.clone()))
    );
}
