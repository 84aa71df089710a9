//! Needs: a copy of the module. Leaves: in it, kernels that consist of one function as far as possible, with one exit, without
//! switches or vectors, whose loops have one entry, one latch and exits of their own, and whose values leave loops through phis.

pub mod context_marker;
mod devirtualise;
mod loop_versioning;
pub mod promoted_state;
mod redundant_barriers;
mod umin_to_branch;
mod workers;

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use llvm_sys::LLVMLinkage::{LLVMExternalLinkage, LLVMInternalLinkage};
use vgpu_abi::summary::ExecutionMode;

use crate::analysis::source_locations::SourceLocations;
use crate::ir::{Module, Value};
use crate::vgpu::entries;
use crate::vgpu::unit::{Kernel, Unit};
use crate::vgpu::warp::analysis::context_fields::LaneAxis;
use crate::vgpu::warp::form;
use crate::vgpu::warp::refusal::Refusal;

/// Inlines. What the optimiser may know of a value it has been asked before.
const INLINE: &str =
    "always-inline,function(lower-constant-intrinsics,lower-expect,sroa,early-cse<memssa>)";

/// Cleans up.
const SIMPLIFY: &str = "function(sroa,early-cse<memssa>,sccp,instcombine<no-verify-fixpoint>,simplifycfg,correlated-propagation,jump-threading,\
                        gvn,instcombine<no-verify-fixpoint>,simplifycfg)";

/// Brings into shape; nothing may run after it.
const SHAPE: &str =
    "function(scalarizer<load-store>,dce,simplifycfg,lower-switch,mergereturn,loop-simplify,lcssa)";

/// The pass, for these kernels of the unit; the others are gone afterwards.
pub fn run(
    unit: &Unit,
    locations: &mut SourceLocations,
    module: &Module,
    kernels: &[&Kernel],
) -> Result<()> {
    let functions: Vec<_> = kernels
        .iter()
        .filter_map(|kernel| module.function(&kernel.function.name()))
        .collect();
    keep_only(module, unit, &functions);
    unit.machine.run_passes(module, "globaldce")?;
    for function in module.definitions() {
        let calls = function
            .instructions()
            .into_iter()
            .filter(|it| it.is_call());
        calls.for_each(|call| call.remove_call_attribute("noinline"));
        // The warp form has its own checks in place of these calls.
        let kept = function.name().starts_with("vgpu.");
        function.remove_attribute("optnone");
        if functions.contains(&function) || kept {
            function.remove_attribute("alwaysinline");
            function.add_attribute(module.context, "noinline");
        } else {
            function.remove_attribute("noinline");
            function.add_attribute(module.context, "alwaysinline");
        }
    }
    for (kernel, &function) in kernels.iter().zip(&functions) {
        let axis = if kernel.is_generic() {
            LaneAxis::Y
        } else {
            LaneAxis::X
        };
        if let Some(most) = kernel.bound {
            context_marker::assume_bound(module, function, axis, most);
        }
    }
    let targets = devirtualise::Targets::find(module, &functions);
    inline(unit, locations, module, (kernels, &functions), &targets)?;
    targets.release();
    unit.machine.run_passes(module, "globaldce")?;
    for (kernel, &function) in kernels.iter().zip(&functions) {
        if kernel.mode == ExecutionMode::GenericSpmd && !calls_others(function) {
            redundant_barriers::run(function);
        }
    }
    loop_versioning::run(unit, module, &functions)?;
    unit.machine.run_passes(module, SHAPE)?;
    let library = Module::parse(module.context, &form::library(), "the warp form's library")?;
    library.set_layout(&unit.machine.layout());
    library.set_triple(&module.triple());
    module.link(library)
}

/// Rounds of inlining: what a call through a pointer calls may turn out when its caller has been inlined, as in code
/// that clang did not optimise.
const ROUNDS: u32 = 6;

fn inline(
    unit: &Unit,
    locations: &mut SourceLocations,
    module: &Module,
    (kernels, functions): (&[&Kernel], &[Value]),
    targets: &devirtualise::Targets,
) -> Result<()> {
    let mut local = HashSet::new();
    for _ in 0..ROUNDS {
        unit.machine.run_passes(module, INLINE)?;
        for (kernel, &function) in kernels.iter().zip(functions) {
            if kernel.is_generic() {
                workers::run(function, unit.manifest.warp_size);
            } else if let (Some(start), false) =
                (unit.runtime_variables.nest, calls_others(function))
                && local.insert(function)
            {
                // Elsewhere the word is still in memory.
                promoted_state::run(module, function, start);
            }
        }
        unit.machine.run_passes(module, SIMPLIFY)?;
        let mut changed = false;
        for (kernel, &function) in kernels.iter().zip(functions) {
            changed |= kernel.is_generic() && workers::run(function, unit.manifest.warp_size);
        }
        if changed {
            unit.machine.run_passes(module, SIMPLIFY)?;
        }
        for (number, &function) in functions.iter().enumerate() {
            if !calls_known(function) {
                devirtualise::run(module, locations, (number, function), targets);
            }
        }
        let mut open = functions.iter().filter(|&&kernel| calls_known(kernel));
        if open.clone().next().is_none() || open.any(|&kernel| fits(kernel).is_err()) {
            break;
        }
    }
    Ok(())
}

/// What a kernel calls, but for intrinsics, the engine and the window checks.
fn others(kernel: Value) -> impl Iterator<Item = Value> {
    let calls = kernel.instructions().into_iter().filter(|it| it.is_call());
    calls.map(Value::called).filter(|called| {
        !called.is_inline_assembly()
            && !(called.is_function()
                && (called.is_declaration() || called.name().starts_with("vgpu.")))
    })
}

/// Whether a kernel calls functions, known or not.
fn calls_others(kernel: Value) -> bool {
    others(kernel).next().is_some()
}

/// Whether a kernel calls functions that could be inlined.
fn calls_known(kernel: Value) -> bool {
    others(kernel).any(Value::is_function)
}

/// Lets everything go that these kernels do not need.
fn keep_only(module: &Module, unit: &Unit, kernels: &[Value]) {
    let entries: Vec<_> = unit
        .kernels
        .iter()
        .map(|kernel| entries::symbol(&kernel.name))
        .collect();
    for function in module.definitions() {
        if kernels.contains(&function) {
            function.set_linkage(LLVMExternalLinkage);
            function.hide();
        } else if !function.name().starts_with("vgpu.check") {
            function.set_linkage(LLVMInternalLinkage);
            function.show();
        }
        // The entry of a kernel that stays is asked for its parameters.
        if entries.contains(&function.name()) && function.calls_one_of(kernels) {
            function.set_linkage(LLVMExternalLinkage);
            function.hide();
        }
    }
}

/// Most instructions of a kernel with all it calls: beyond that the copy grows out of proportion to its use.
const LARGEST: u64 = 12_000;

/// Refuses a kernel that cannot be made one function: recursion, or too much code.
pub fn fits(kernel: Value) -> Result<(), Refusal> {
    match size(kernel, &mut HashMap::new()) {
        None => Err(Refusal::new(
            "a function calls itself, directly or through others",
        )),
        Some(size) if size > LARGEST => Err(Refusal::new(format!(
            "with all functions inlined it would have {size} instructions; {LARGEST} are the limit (optimised code, from -O1, has fewer)"
        ))),
        Some(_) => Ok(()),
    }
}

/// The instructions of a function and, once per call, of what it calls; `None` with recursion.
fn size(function: Value, known: &mut HashMap<Value, Option<u64>>) -> Option<u64> {
    if let Some(&size) = known.get(&function) {
        return size;
    }
    // Found again while it is being looked at: recursion.
    known.insert(function, None);
    let instructions = function.instructions();
    let mut total = instructions.len() as u64;
    for call in instructions.into_iter().filter(|it| it.is_call()) {
        let called = call.called_function();
        if let Some(called) = called.filter(|it| !it.is_declaration()) {
            total = total.saturating_add(size(called, known)?);
        }
    }
    known.insert(function, Some(total));
    Some(total)
}

/// Whether a kernel's entry makes copies of parameters on the stack: each thread would need its own.
pub fn takes_structures(module: &Module, kernel: &str) -> bool {
    let entry = module.function(&entries::symbol(kernel));
    entry.is_none_or(|entry| {
        let instructions = entry.instructions();
        instructions
            .into_iter()
            .any(|it: Value| it.opcode() == Some(llvm_sys::LLVMOpcode::LLVMAlloca))
    })
}
