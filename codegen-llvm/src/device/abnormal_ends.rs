//! Defines, for PTX, the C++ functions that end a kernel: `abort`, and what vtables have in the place of a function
//! that is pure or deleted (Itanium C++ ABI, §3.2.6). OpenMP programs have those of the device runtime. CUDA programs
//! have none, as NVIDIA's device linker knows them.

use anyhow::Result;
use llvm_sys::LLVMLinkage::LLVMInternalLinkage;

use crate::ir::Module;

const NAMES: [&str; 3] = ["abort", "__cxa_pure_virtual", "__cxa_deleted_virtual"];

/// Defines what a module uses and does not define. `layout` is the module's data layout.
pub fn run(module: &Module, layout: &str) -> Result<()> {
    let is_missing = |name: &&str| {
        let function = module.function(name);
        function.is_some_and(|function| function.is_declaration() && !function.is_unused())
    };
    let missing: Vec<&str> = NAMES.into_iter().filter(is_missing).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let definitions = missing.iter().map(|name| {
        format!("define void @{name}() noreturn {{\n  call void @llvm.trap()\n  unreachable\n}}\n")
    });
    let text = definitions.collect::<String>() + "declare void @llvm.trap()\n";
    let library = Module::parse(module.context, &text, "abnormal ends")?;
    library.set_layout(layout);
    module.link(library)?;
    for name in missing {
        let defined = module.function(name).expect("the library defines it");
        defined.set_linkage(LLVMInternalLinkage);
    }
    Ok(())
}
