//! What clang and flang have done to the device code of each translation unit, before and after they optimise it.

use anyhow::Result;
use llvm_sys::prelude::LLVMModuleRef;

use crate::analysis::target::{self, Target};
use crate::device::{
    absent_regions, array_reductions, captured_values, combined_loops, complex_quotients,
    critical_lanes, debug_captures, externalised_statics, full_teams, host_pointers,
    last_iterations, local_space, null_pointers, powers, reduced_globals, reduction_records,
    rolled_loops, shared_captures, team_loops, visible_kernels,
};
use crate::ir::Module;
use crate::managed_variables;

/// Mends what clang gets wrong in code for GPUs, and refuses what flang does. In a module for another target, the
/// host's, only managed variables are of interest.
///
/// Errors name what cannot be mended, and the place in the program's source.
///
/// # Safety
///
/// `module` is a valid module that nothing else uses during the call.
pub unsafe fn run(module: LLVMModuleRef) -> Result<()> {
    // SAFETY: as the caller promises.
    let module = unsafe { Module::of_linker(module) };
    if Target::of(&module).is_err() {
        return managed_variables::reach(module.context, &module);
    }
    managed_variables::declare(module.context, &module);
    for warning in absent_regions::warnings(&module) {
        eprintln!("warning: {warning}");
    }
    externalised_statics::run(&module);
    visible_kernels::run(&module);
    complex_quotients::run(&module);
    array_reductions::refuse(&module)?;
    captured_values::run(module.context, &module);
    reduced_globals::run(module.context, &module);
    reduction_records::run(&module);
    debug_captures::run(&module);
    host_pointers::mark(module.context, &module);
    powers::keep(&module);
    full_teams::run(module.context, &module);
    combined_loops::run(module.context, &module);
    team_loops::run(module.context, &module);
    last_iterations::run(module.context, &module);
    critical_lanes::run(module.context, &module);
    rolled_loops::run(module.context, &module);
    shared_captures::run(module.context, &module)
}

/// What comes after the optimisation of the unit.
///
/// # Safety
///
/// As [`run`].
pub unsafe fn finish(module: LLVMModuleRef) {
    // SAFETY: as the caller promises.
    let module = unsafe { Module::of_linker(module) };
    if Target::of(&module).is_ok() {
        powers::run(&module);
        host_pointers::translate(module.context, &module);
    }
    // Of this unit on its own the compiler may make machine code now.
    if target::is_nvidias(&module) {
        local_space::run(&module);
        null_pointers::run(&module);
    }
}
