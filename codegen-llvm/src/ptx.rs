//! NVPTX bitcode to PTX text, for the GPU's driver or for `ptxas`.

use anyhow::{Result, bail};
use llvm_sys::LLVMLinkage::LLVMExternalLinkage;

use crate::fold;
use crate::ir::{Context, Machine, MachineOptions, Module};
use crate::realloc;

/// Compiles an image to PTX for `arch` (`sm_80`), with LLVM's OpenMP optimiser or without.
pub fn compile(
    context: Context,
    bitcode: &[u8],
    arch: &str,
    level: u8,
    openmp_opt: bool,
) -> Result<Vec<u8>> {
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
    realloc::run(context, &machine.layout(), &module)?;
    // PTX has no sections that run before and after a program; the kernels this pass makes of the
    // arrays are run by the plugin when it loads and unloads the module.
    machine.run_passes(&module, "nvptx-lower-ctor-dtor")?;
    if level > 0 {
        fold::run(&machine, &module, openmp_opt)?;
    }
    machine.run_passes(&module, &format!("default<O{}>", level.min(3)))?;
    pack_shared(&module);
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

/// Address space of shared memory.
const SHARED: u32 = 3;

/// openmp-opt makes shared variables of locals that threads share and aligns each to 16 bytes, whatever its size, so that
/// a kernel which shares many integers pays for them four times over. No access to a variable is larger than the
/// variable, so those of up to 8 bytes need no more alignment than their size.
fn pack_shared(module: &Module) {
    let layout = module.layout();
    for variable in module.globals() {
        let size = layout.alloc_size(variable.value_type());
        if variable.is_local()
            && variable.ty().address_space() == SHARED
            && (1..=8).contains(&size)
            && variable.alignment() > size.next_power_of_two()
        {
            variable.set_alignment(size.next_power_of_two() as u32);
        }
    }
}
