//! Needs: the image's linkages. Leaves: what the engine does itself (output, heap, assertions) without a body.
//!
//! On NVIDIA GPUs these functions are the driver's and images only declare them. On AMD GPUs nobody offers them, so
//! the device runtime defines them, weakly; here the engine's take their place. What a program defines itself
//! is not weak and stays.

use anyhow::Result;
use llvm_sys::LLVMLinkage::{LLVMExternalLinkage, LLVMWeakAnyLinkage, LLVMWeakODRLinkage};

use super::unit::Unit;

/// The functions, as CUDA's device library has them.
const SERVICES: &[&str] = &["vprintf", "malloc", "free", "__assertfail"];

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    for name in SERVICES {
        let Some(function) = unit.module.function(name) else {
            continue;
        };
        let weak = matches!(function.linkage(), LLVMWeakAnyLinkage | LLVMWeakODRLinkage);
        if !weak || function.is_declaration() {
            continue;
        }
        function.set_name("");
        let declaration = unit.module.declare(name, function.value_type());
        declaration.set_linkage(LLVMExternalLinkage);
        function.replace_all_uses(declaration);
        function.delete_function();
    }
    Ok(())
}
