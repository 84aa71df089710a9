//! Makes all functions but kernels internal, and drops what no kernel, constructor or variable needs.
//!
//! Needs: kernels known. Leaves: only the part of the device runtime that the image uses, with its state folded
//! (`device::fold`).

use anyhow::Result;
use llvm_sys::LLVMLinkage::{LLVMExternalLinkage, LLVMInternalLinkage};

use super::access_checks::is_runtimes;
use super::unit::Unit;
use super::{checked_locks, checked_tasks};
use crate::analysis::target::SHARED;
use crate::device::fold;

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    // Arrays that keep passes from dropping symbols.
    for array in unit.module.globals() {
        if array.is_bookkeeping() {
            // SAFETY: no code uses these arrays.
            unsafe { array.delete_global() };
        }
    }
    for function in unit.module.functions() {
        function.drop_comdat();
        if !function.is_declaration() {
            let kernel = unit
                .kernels
                .iter()
                .any(|kernel| kernel.function == function);
            function.set_linkage(if kernel {
                LLVMExternalLinkage
            } else {
                LLVMInternalLinkage
            });
            function.show();
        }
    }
    if unit.options.checks.race || unit.options.checks.sync {
        checked_locks::keep(unit);
    }
    if unit.options.checks.race {
        checked_tasks::keep(unit);
    }
    let kept = match unit.options.checks.init {
        true => open_shared_variables(unit),
        false => Vec::new(),
    };
    let machine = unit.image_machine()?;
    if unit.options.level == 0 {
        machine.run_passes(&unit.module, "globaldce")?;
    } else {
        fold::run(&machine, &unit.module, true)?;
    }
    for name in kept {
        if let Some(variable) = unit.module.global(&name) {
            variable.set_linkage(LLVMInternalLinkage);
        }
    }
    Ok(())
}

/// Nothing is in shared variables when a block begins. openmp-opt knows that of internal ones, and makes anything of
/// what is read there first, so that no read is left to check. Gives the names of the variables that it must not know.
fn open_shared_variables(unit: &Unit) -> Vec<String> {
    let variables = unit.module.globals().into_iter();
    let shared = variables.filter(|it| it.ty().address_space() == SHARED && it.is_local());
    let named = shared.map(|it| (it, it.name()));
    named
        .filter(|(_, name)| !name.is_empty() && !is_runtimes(name))
        .map(|(variable, name)| {
            variable.set_linkage(LLVMExternalLinkage);
            name
        })
        .collect()
}
