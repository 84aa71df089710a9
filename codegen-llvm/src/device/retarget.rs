//! Compiles a module as a whole program, and for the architecture asked for.

use llvm_sys::LLVMLinkage::LLVMExternalLinkage;

use crate::ir::Module;

/// Drops the image's own architecture: the back end is configured for the one asked for.
pub fn drop_architecture(module: &Module) {
    for function in module.functions() {
        function.remove_text_attribute("target-cpu");
        function.remove_text_attribute("target-features");
    }
}

/// Drops what the symbols tell a linker. PTX is not linked.
pub fn drop_linkage(module: &Module) {
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
