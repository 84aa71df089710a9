//! Resolves weak references to what nobody defines, as a linker does: they are null.

use llvm_sys::LLVMLinkage::LLVMExternalWeakLinkage;

use crate::ir::{Module, Value};

/// Rewrites a module. `is_defined` says which functions somebody else defines.
pub fn run(module: &Module, is_defined: impl Fn(&str) -> bool) {
    for function in module.functions() {
        if function.linkage() == LLVMExternalWeakLinkage && !is_defined(&function.name()) {
            function.replace_all_uses(Value::zero(function.ty()));
            // SAFETY: its uses are replaced, and the list names it once.
            unsafe { function.delete_function() };
        }
    }
    for variable in module.globals() {
        if variable.linkage() == LLVMExternalWeakLinkage {
            variable.replace_all_uses(Value::zero(variable.ty()));
            // SAFETY: its uses are replaced, and the list names it once.
            unsafe { variable.delete_global() };
        }
    }
}
