//! Lists the image's visible variables in the manifest, and resolves weak references.
//!
//! Needs: entries built. Leaves: visible variables external, hidden, without comdat or section; null for weak
//! references to what nobody defines.

use anyhow::Result;
use llvm_sys::LLVMLinkage::{LLVMExternalLinkage, LLVMExternalWeakLinkage};
use vgpu_abi::artifact::GlobalEntry;

use super::undefined::is_known;
use super::unit::Unit;
use crate::ir::Value;

/// The pass.
///
/// A variable that can be written becomes external even if it was internal. LLVM may turn an internal variable into a
/// local one of a function that runs once, but here many threads run it.
pub fn run(unit: &mut Unit) -> Result<()> {
    resolve_weak_references(unit);
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

/// Makes a weak reference to what nobody defines null, as a linker does.
fn resolve_weak_references(unit: &Unit) {
    for function in unit.module.functions() {
        if function.linkage() == LLVMExternalWeakLinkage && !is_known(&function.name()) {
            function.replace_all_uses(Value::zero(function.ty()));
            // SAFETY: its uses are replaced, and the list names it once.
            unsafe { function.delete_function() };
        }
    }
    for variable in unit.module.globals() {
        if variable.linkage() == LLVMExternalWeakLinkage {
            variable.replace_all_uses(Value::zero(variable.ty()));
            // SAFETY: its uses are replaced, and the list names it once.
            unsafe { variable.delete_global() };
        }
    }
}
