//! Folds the state of the device runtime that clang's device link leaves (docs/device-runtime.md, "Elision").
//!
//! The link leaves the last stores of state that nobody reads any more. `globalopt` drops such variables, and
//! openmp-opt then drops the barriers that order nothing. A region whose variables are not all pointers is called with
//! the wrong types until `instcombine` mends the call. In the link, that happens only after inlining.

mod dead_shared_stores;
mod master;
mod meetings;
mod nest_words;
mod roles;
mod shape;
mod team_values;

use anyhow::Result;

use crate::ir::{Machine, Module};

/// Inlines what must be inlined, and simplifies, so that state becomes known.
const INLINE: &str = "function(instcombine<no-verify-fixpoint>),cgscc(inline<only-mandatory>),\
    function(sroa,early-cse<memssa>,gvn,instcombine<no-verify-fixpoint>,simplifycfg)";

/// Propagates the facts that passes have stated about generic kernels.
const SIMPLIFY: &str = "function(sroa,gvn,instcombine<no-verify-fixpoint>,simplifycfg)";

/// `globalopt` finds flags that nobody sets. openmp-opt removes the barrier before a kernel's end only where no
/// question about them is left, be it one whose answer is what `llvm.expect` says of a constant.
const FOLD_FLAGS_AND_OPENMP_OPT: &str =
    "globalopt,function(lower-expect,instsimplify,simplifycfg),openmp-opt,globaldce";

/// Nest words still unknown here will never fold: drops the hints published for the optimiser. (In SPMD kernels nest
/// words may still fold.)
const DROP_HINTS: &str = "function(instcombine<no-verify-fixpoint>,lower-constant-intrinsics,simplifycfg),\
    globalopt,globaldce";

/// Folds the runtime's state in an optimised module; `openmp_opt` says whether LLVM's OpenMP optimiser runs.
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
    nest_words::run(machine, module)?;
    dead_shared_stores::drop_unread_in_kernels(module);
    hide_shared_variables(module);
    let passes = if openmp_opt {
        FOLD_FLAGS_AND_OPENMP_OPT
    } else {
        "globalopt,globaldce"
    };
    machine.run_passes(module, passes)?;
    if generic.all {
        machine.run_passes(module, DROP_HINTS)?;
    }
    dead_shared_stores::run(module);
    // Behind that, because a list of references that nobody reads holds the addresses of variables.
    team_values::run(module);
    Ok(())
}

/// Drops stores to the runtime's shared variables that nobody reads once the module is optimised.
pub fn drop_unread(module: &Module) {
    if !has_llvms_runtime(module) {
        dead_shared_stores::run(module);
    }
}

/// Folds only what a kernel's mode says of its block, as far as that is known without optimising.
pub fn fold_shape(module: &Module) {
    if !has_llvms_runtime(module) {
        shape::run(module);
    }
}

/// Whether the image was linked with LLVM's device runtime. Kernels of that runtime have other shapes and other state
/// than ours (docs/abi.md, "Launch shape"). The host runtime asks the same way: our runtime defines one variable more,
/// another one for NVIDIA's than for AMD's GPUs.
fn has_llvms_runtime(module: &Module) -> bool {
    let has = |name| module.global(name).is_some();
    has("__omp_rtl_device_environment")
        && !has("__omptarget_trap_record")
        && !has("__omptarget_independent_lanes")
}

/// Renames the functions that allocate shared variables, so that openmp-opt does not recognise them.
///
/// The image's link has already found the variables that each thread may have for itself. Here more is inlined, and
/// openmp-opt would take a team's variables for each thread's own: it believes that every thread that allocates gets
/// memory of its own.
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
