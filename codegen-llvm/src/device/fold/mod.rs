//! Folds what is left of the device runtime's state when clang's device link is done (docs/device-runtime.md, "Elision").
//!
//! The link leaves the last stores of state that nobody reads any more; `globalopt` drops such variables, and openmp-opt
//! then the barriers that order nothing. Regions whose variables are not all pointers are called with the
//! wrong types until `instcombine` has looked at the call, which in the link is after its inliner.

mod dead_shared_stores;
mod master;
mod roles;
mod shape;

use anyhow::Result;

use crate::ir::{Machine, Module};

/// Inlines what has to be, and simplifies so that state becomes known.
const INLINE: &str = "function(instcombine<no-verify-fixpoint>),cgscc(inline<only-mandatory>),\
    function(sroa,early-cse<memssa>,gvn,instcombine<no-verify-fixpoint>,simplifycfg)";

/// Lets what generic kernels were told take effect.
const SIMPLIFY: &str = "function(sroa,gvn,instcombine<no-verify-fixpoint>,simplifycfg)";

/// What the optimiser does not know of nest words by now it never will; then what it was shown of them goes, too. (SPMD kernels'
/// words may fold yet.)
const FORGET: &str = "function(instcombine<no-verify-fixpoint>,lower-constant-intrinsics,simplifycfg),globalopt,globaldce";

/// Folds the runtime's state in an optimised module, with LLVM's OpenMP optimiser or without.
pub fn run(machine: &Machine, module: &Module, openmp_opt: bool) -> Result<()> {
    let not_inlined = |function: &crate::ir::Value| {
        function.is_local() && function.has_function_attribute("alwaysinline")
    };
    if module.definitions().iter().any(not_inlined) {
        machine.run_passes(module, INLINE)?;
    }
    if has_llvms_runtime(module) {
        return machine.run_passes(module, "globalopt,globaldce");
    }
    let generic = shape::run(module);
    if !generic.kernels.is_empty() {
        master::run(module);
        machine.run_passes(module, SIMPLIFY)?;
        if generic.all {
            roles::run(module, &generic.kernels);
            machine.run_passes(module, SIMPLIFY)?;
        }
    }
    hide_shared_variables(module);
    let passes = if openmp_opt {
        "globalopt,openmp-opt,globaldce"
    } else {
        "globalopt,globaldce"
    };
    machine.run_passes(module, passes)?;
    if generic.all {
        machine.run_passes(module, FORGET)?;
    }
    dead_shared_stores::run(module);
    Ok(())
}

/// Whether the image was linked with LLVM's device runtime, whose kernels have other shapes and other state than ours (docs/abi.md,
/// "Launch shape"). The host runtime asks the same: ours has one of two variables more, for NVIDIA's and for AMD's GPUs.
fn has_llvms_runtime(module: &Module) -> bool {
    let has = |name| module.global(name).is_some();
    has("__omp_rtl_device_environment")
        && !has("__omptarget_trap_record")
        && !has("__omptarget_independent_lanes")
}

/// Which of the shared variables may be a thread's own the image's link has found out. Here, where more is inlined, openmp-opt
/// would take variables of a whole team for each thread's own (it believes that every thread that
/// allocates gets memory of its own), so it must not know what allocates them.
pub fn hide_shared_variables(module: &Module) {
    for name in ["__kmpc_alloc_shared", "__kmpc_free_shared"] {
        if let Some(function) = module
            .function(name)
            .filter(|known| !known.is_declaration())
        {
            function.set_name(&format!("omptarget.{name}"));
        }
    }
}
