//! Makes all functions but kernels internal, and drops what no kernel, constructor or variable needs.
//!
//! Needs: kernels known. Leaves: only the part of the device runtime that the image uses, with its state folded
//! (`device::fold`).

use anyhow::Result;
use llvm_sys::LLVMLinkage::{LLVMExternalLinkage, LLVMInternalLinkage};

use super::unit::Unit;
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
    let machine = unit.image_machine()?;
    if unit.options.level == 0 {
        machine.run_passes(&unit.module, "globaldce")
    } else {
        fold::run(&machine, &unit.module, true)
    }
}
