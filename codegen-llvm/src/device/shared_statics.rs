//! Moves marked variables to shared memory.
//!
//! Rust has no address spaces. A kernel in Rust says by a section where a static lies, and names the dynamic shared
//! memory by a symbol that nobody defines (the crate `omptarget-kernel`).
//!
//! Needs: nothing; it comes first, so that every other pass sees shared variables. Leaves: no variable in the section.

use anyhow::{Result, bail};
use llvm_sys::LLVMLinkage::LLVMInternalLinkage;

use crate::analysis::target::SHARED;
use crate::ir::{Module, Value};

/// The section of shared variables.
const SECTION: &str = ".omptarget.shared";

/// The name of the start of dynamic shared memory.
const DYNAMIC: &str = "__omptarget_dynamic_shared";

/// Moves them.
pub fn run(module: &Module) -> Result<()> {
    for variable in module.globals() {
        if variable.ty().address_space() != 0 {
            continue;
        }
        if variable.is_declaration() {
            if variable.name() == DYNAMIC {
                move_to_shared(module, variable);
            }
        } else if variable.section() == SECTION {
            refuse_value(variable)?;
            let moved = move_to_shared(module, variable);
            moved.set_initializer(Value::poison(moved.value_type()));
            moved.set_linkage(LLVMInternalLinkage);
        }
    }
    Ok(())
}

/// Shared memory has no contents when a block starts.
fn refuse_value(variable: Value) -> Result<()> {
    if variable
        .initializer()
        .is_some_and(|value| !value.is_undefined())
    {
        bail!(
            "shared variable `{:#}` has an initial value: shared memory has none when a block starts; let the block's \
             threads store it, and wait at a barrier",
            rustc_demangle::demangle(&variable.name())
        );
    }
    Ok(())
}

/// A variable of the same name, type and alignment in shared memory, in place of `variable`.
fn move_to_shared(module: &Module, variable: Value) -> Value {
    let moved = module.add_global_in(variable.value_type(), SHARED);
    moved.set_alignment(variable.alignment() as u32);
    variable.replace_all_uses(moved.constant_in_space(variable.ty()));
    let name = variable.name();
    // SAFETY: its uses are replaced, and the list of variables names it once.
    unsafe { variable.delete_global() };
    moved.set_name(&name);
    moved
}
