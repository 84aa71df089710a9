//! Needs: entries built. Leaves: only entries and the image's visible variables external, all else
//! internal, everything addressed directly; the variables in the manifest.

use anyhow::Result;
use codegen::artifact::GlobalEntry;
use llvm_sys::LLVMLinkage::{LLVMExternalLinkage, LLVMInternalLinkage};

use super::unit::Unit;
use crate::ir::Value;

/// Bookkeeping arrays of the front end; kernels and variables are kept by their linkage here.
const BOOKKEEPING: &[&str] = &["llvm.used", "llvm.compiler.used"];

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    for name in BOOKKEEPING {
        if let Some(array) = unit.module.global(name) {
            array.delete_global();
        }
    }
    for function in unit.module.functions() {
        function.drop_comdat();
        if !function.is_declaration() {
            let external = is_entry(&function.name());
            function.set_linkage(if external {
                LLVMExternalLinkage
            } else {
                LLVMInternalLinkage
            });
        }
        hide_unless_local(function);
    }
    let layout = unit.module.layout();
    for variable in unit.module.globals() {
        variable.drop_comdat();
        if variable.is_declaration() || variable.is_local() {
            hide_unless_local(variable);
            continue;
        }
        variable.set_linkage(LLVMExternalLinkage);
        variable.set_section("");
        variable.hide();
        let name = variable.name();
        let size = layout.alloc_size(variable.value_type());
        unit.manifest.globals.push(GlobalEntry {
            symbol: name.clone(),
            name,
            size,
        });
    }
    Ok(())
}

fn is_entry(name: &str) -> bool {
    name.starts_with("vgpu.entry.") || matches!(name, "vgpu.constructors" | "vgpu.destructors")
}

fn hide_unless_local(value: Value) {
    if !value.is_local() && !value.name().starts_with("llvm.") {
        value.hide();
    }
}
