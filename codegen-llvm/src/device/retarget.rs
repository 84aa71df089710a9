//! Makes a module the driver's: of the architecture asked for, and a whole program.

use llvm_sys::LLVMLinkage::LLVMExternalLinkage;

use crate::ir::Module;

/// Lets the whole module be compiled for the architecture asked for rather than for the one in the image.
pub fn run(module: &Module) {
    for function in module.functions() {
        function.remove_text_attribute("target-cpu");
        function.remove_text_attribute("target-features");
    }
    // `protected` and `weak_odr` say what a linker may do; the driver's module is the whole program.
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
