//! Needs: entries built. Leaves: the image's visible variables external, hidden, without comdat or
//! section, and in the manifest.

use anyhow::Result;
use codegen::artifact::GlobalEntry;
use llvm_sys::LLVMLinkage::LLVMExternalLinkage;

use super::unit::Unit;

/// The pass.
///
/// A variable that can be written stays external even if it was internal: LLVM may take an internal
/// variable for a local one of a function that runs once, but here many threads run it.
pub fn run(unit: &mut Unit) -> Result<()> {
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
            unit.manifest.globals.push(GlobalEntry { symbol: name.clone(), name, size });
        }
    }
    Ok(())
}
