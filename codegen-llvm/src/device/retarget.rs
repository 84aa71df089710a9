//! Compiles a module as a whole program, and for the architecture asked for.

use llvm_sys::LLVMLinkage::LLVMExternalLinkage;

use crate::ir::Module;

/// Drops the image's own architecture, and what its symbols tell a linker.
pub fn run(module: &Module) {
    for function in module.functions() {
        function.remove_text_attribute("target-cpu");
        function.remove_text_attribute("target-features");
    }
    // `protected` and `weak_odr` tell a linker what it may do; the driver's module is the whole program.
    for variable in module
        .globals()
        .into_iter()
        .filter(|variable| !variable.is_declaration() && !variable.is_local())
    {
        if !variable.name().starts_with("llvm.") {
            variable.set_linkage(LLVMExternalLinkage);
        }
    }
}
