//! Lists the image's visible variables in the manifest, and resolves weak references.
//!
//! Needs: entries built. Leaves: visible variables external, hidden, without comdat or section; null for weak
//! references to what nobody defines.

use anyhow::Result;
use llvm_sys::LLVMLinkage::LLVMExternalLinkage;
use vgpu_abi::artifact::GlobalEntry;

use super::undefined::is_known;
use super::unit::Unit;
use crate::device::weak_references;

/// The pass.
///
/// A variable that can be written becomes external even if it was internal. LLVM may turn an internal variable into a
/// local one of a function that runs once, but here many threads run it.
pub fn run(unit: &mut Unit) -> Result<()> {
    weak_references::run(&unit.module, is_known);
    let layout = unit.module.layout();
    for variable in unit.module.globals() {
        variable.drop_comdat();
        if variable.is_declaration() || variable.name().starts_with("llvm.") {
            continue;
        }
        variable.set_section("");
        let visible = !variable.is_local();
        if visible || !variable.is_constant_variable() {
            variable.set_linkage(LLVMExternalLinkage);
            variable.hide();
        }
        if visible {
            let name = variable.name();
            let size = layout.alloc_size(variable.value_type());
            unit.manifest.globals.push(GlobalEntry {
                symbol: name.clone(),
                name,
                size,
            });
        }
    }
    Ok(())
}
