//! Links the warp forms, and what they use, into the unit's module.
//!
//! Needs: the copy of the module with the warp forms.

use anyhow::Result;
use llvm_sys::LLVMLinkage::{LLVMExternalLinkage, LLVMInternalLinkage};

use crate::ir::{Module, Value};
use crate::vgpu::unit::Unit;

/// The step.
pub fn run(unit: &Unit, copy: Module, made: &[Value]) -> Result<()> {
    let names: Vec<_> = made.iter().map(|function| function.name()).collect();
    for function in copy.definitions() {
        if names.contains(&function.name()) {
            function.hide();
        } else {
            function.set_linkage(LLVMInternalLinkage);
            function.show();
        }
    }
    // Variables exist once, in the unit's module. Only local constants may be copied.
    for variable in copy.globals() {
        let name = variable.name();
        // LLVM itself looks for most variables of these names; a table of shared addresses is used like any other.
        if name.starts_with("llvm.") && variable.is_unused() {
            // SAFETY: nothing uses it, and the handle goes out of scope.
            unsafe { variable.delete_global() };
        } else if !variable.is_declaration() && !variable.is_local() {
            variable.set_linkage(LLVMExternalLinkage);
            variable.drop_initializer();
        }
    }
    unit.machine.run_passes(&copy, "globaldce")?;
    unit.module.link(copy)
}
