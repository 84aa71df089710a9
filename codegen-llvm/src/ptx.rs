//! NVPTX bitcode to PTX text, for the GPU's driver or for `ptxas`.

use anyhow::{Result, bail};
use llvm_sys::LLVMLinkage::LLVMExternalLinkage;

use crate::ir::{Context, Machine, MachineOptions, Module};

/// Compiles an image to PTX for `arch` (`sm_80`).
pub fn compile(context: Context, bitcode: &[u8], arch: &str, level: u8) -> Result<Vec<u8>> {
    let module = Module::read(context, bitcode)?;
    let triple = module.triple();
    if !triple.starts_with("nvptx64") {
        bail!("the image's target triple is `{triple}`, PTX needs nvptx64");
    }
    module.verify("as it stands in the image")?;
    retarget(&module);
    let machine = Machine::new(&MachineOptions {
        triple: &triple,
        cpu: arch,
        features: "",
        level,
    })?;
    // PTX has no sections that run before and after a program; the kernels this pass makes of the
    // arrays are run by the plugin when it loads and unloads the module.
    machine.run_passes(&module, "nvptx-lower-ctor-dtor")?;
    if level > 0 {
        // The folded runtime state of SPMD kernels and the barriers that order nothing then, as for the virtual GPU.
        machine.run_passes(&module, "globalopt,openmp-opt,globaldce")?;
    }
    machine.run_passes(&module, &format!("default<O{}>", level.min(3)))?;
    machine.emit_assembly(&module)
}

/// Lets the whole module be compiled for the architecture asked for rather than the one in the image.
fn retarget(module: &Module) {
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
