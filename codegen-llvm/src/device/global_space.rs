//! Moves variables from the generic address space to global memory (AMD GPUs).
//!
//! clang 22 gives the names of `critical` regions no address space, and makes them `common`, which another object might
//! replace. So every access would load the address from a table and use generic instructions. The image is the whole
//! program: nobody else has these variables.

use llvm_sys::LLVMLinkage::{LLVMCommonLinkage, LLVMInternalLinkage};

use crate::ir::Module;

/// `AMDGPUAS::GLOBAL_ADDRESS`.
const GLOBAL: u32 = 1;

/// Moves them.
pub fn run(module: &Module) {
    for variable in module.globals() {
        let generic = variable.ty().address_space() == 0;
        if !generic || variable.is_declaration() || variable.linkage() != LLVMCommonLinkage {
            continue;
        }
        let moved = module.add_global_in(variable.value_type(), GLOBAL);
        if let Some(initializer) = variable.initializer() {
            moved.set_initializer(initializer);
        }
        moved.set_alignment(variable.alignment() as u32);
        moved.set_linkage(LLVMInternalLinkage);
        variable.replace_all_uses(moved.constant_in_space(variable.ty()));
        let name = variable.name();
        // SAFETY: its uses are replaced, and the list names it once.
        unsafe { variable.delete_global() };
        moved.set_name(&name);
    }
}
