//! Brings kernels into the shape that the vectoriser takes.
//!
//! Needs: a copy of the module. Leaves: in it, kernels of one function as far as possible, with one exit and without
//! switches or vectors. Their loops have one entry, one latch and exits of their own, and values leave loops through
//! phis.

mod accesses;
mod bounded_counters;
pub mod context_marker;
mod devirtualise;
mod lane_loops;
mod loop_end;
mod loop_facts;
mod loop_versioning;
mod merged_reads;
mod parameter_casts;
pub mod promoted_state;
mod redundant_barriers;
mod row_fold_function;
mod row_folds;
mod row_loop;
mod row_markers;
mod row_split;
mod row_values;
mod rows;
mod small_copies;
pub mod spin_calls;
mod umin_to_branch;
mod unit_strides;
mod vector_casts;
mod vector_reductions;
mod word_sums;
mod workers;

use std::collections::HashSet;

use anyhow::Result;
use llvm_sys::LLVMLinkage::{LLVMExternalLinkage, LLVMInternalLinkage};
use vgpu_abi::summary::ExecutionMode;

use crate::analysis::source_locations::SourceLocations;
use crate::ir::{Module, Value};
use crate::vgpu::entries;
use crate::vgpu::unit::{Kernel, Unit};
use crate::vgpu::warp::analysis::context_fields::LaneAxis;
use crate::vgpu::warp::analysis::eligibility;
use crate::vgpu::warp::form;

/// Inlines. `llvm.is.constant` and the like have been answered before.
const INLINE: &str =
    "always-inline,function(lower-constant-intrinsics,lower-expect,sroa,early-cse<memssa>)";

/// Simplifies.
const SIMPLIFY: &str = "function(sroa,early-cse<memssa>,sccp,instcombine<no-verify-fixpoint>,simplifycfg,\
                        correlated-propagation,jump-threading,loop(loop-unroll-full),gvn,\
                        instcombine<no-verify-fixpoint>,simplifycfg)";

/// Brings into shape. No other pass may run after it.
const SHAPE: &str =
    "function(scalarizer<load-store>,dce,simplifycfg,lower-switch,mergereturn,loop-simplify,lcssa)";

/// The step, for these kernels of the unit. The other kernels are gone afterwards.
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
        // The warp form has checks of its own in place of these calls.
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
        let axis = LaneAxis::of(kernel);
        if let Some(most) = kernel.bound {
            context_marker::assume_bound(module, function, axis, most);
        }
    }
    for function in module.definitions() {
        small_copies::run(module.context, function);
    }
    let targets = devirtualise::Targets::find(module, &functions);
    inline(unit, locations, module, (kernels, &functions), &targets)?;
    targets.release();
    unit.machine.run_passes(module, "globaldce")?;
    for (kernel, &function) in kernels.iter().zip(&functions) {
        if kernel.mode == ExecutionMode::GenericSpmd && !calls_others(function) {
            redundant_barriers::run(module.layout(), function);
        }
    }
    for &function in &functions {
        umin_to_branch::run(module.context, function);
    }
    loop_versioning::run(unit, module, &functions)?;
    for &function in &functions {
        vector_casts::run(module.context, function);
        vector_reductions::run(module, function);
    }
    // Whether memory was written depends on when it is read.
    if unit.options.checks.race && !unit.options.checks.init {
        functions
            .iter()
            .for_each(|&it| merged_reads::run(module, it));
    }
    unit.machine.run_passes(module, SHAPE)?;
    let both: Vec<_> = kernels.iter().copied().zip(functions).collect();
    if loop_facts::run(unit, module, &both)? {
        unit.machine.run_passes(module, SHAPE)?;
    }
    if row_folds::run(unit, module, &both)? {
        unit.machine.run_passes(module, SHAPE)?;
    }
    if lane_loops::run(unit, module, &both)? {
        unit.machine.run_passes(module, SHAPE)?;
    }
    if rows::run(unit, module, &both)? {
        unit.machine.run_passes(module, SHAPE)?;
    }
    let library = form::library(unit.options.window);
    let library = Module::parse(module.context, &library, "the warp form's library")?;
    library.set_layout(&unit.machine.layout());
    library.set_triple(&module.triple());
    module.link(library)
}

/// Rounds of inlining. Which function a pointer leads to may show only after its caller has been inlined, as in code
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
            parameter_casts::run(module.context, function);
            if kernel.is_generic() {
                workers::run(function, unit.manifest.warp_size);
            } else if let (Some(words), false) =
                (unit.runtime_variables.nest, calls_others(function))
                && local.insert(function)
            {
                // In functions that are not inlined yet, the state is still in memory.
                promoted_state::run(module, function, words);
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
        for (index, &function) in functions.iter().enumerate() {
            if !calls_known(function) {
                devirtualise::run(module, locations, (index, function), targets);
            }
        }
        let mut open = functions.iter().filter(|&&kernel| calls_known(kernel));
        if open.clone().next().is_none()
            || open.any(|&kernel| eligibility::check_size(kernel).is_err())
        {
            break;
        }
    }
    Ok(())
}

/// What a kernel calls, except intrinsics, the engine and the window checks.
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
        // The entry of a kernel that stays is needed for its parameters.
        if entries.contains(&function.name()) && function.calls_one_of(kernels) {
            function.set_linkage(LLVMExternalLinkage);
            function.hide();
        }
    }
}
