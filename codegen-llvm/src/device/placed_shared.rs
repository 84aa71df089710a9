//! Shared variables that have their addresses already.
//!
//! LLVM's link-time passes for AMD's GPUs end with laying out LDS (`amdgpu-lower-module-lds`), and clang's device link
//! has run them. Passes that come later may still raise a variable's alignment, so that its address does not fit any
//! more, and the back end gives up. A variable in a section of its own keeps its alignment.

use crate::ir::{Module, Value};

/// Nothing else has this name, and the back end never sees it.
const SECTION: &str = "omptarget.placed";

/// Before passes that could change an alignment. Needs: nothing. Leaves: placed variables in the section.
pub fn hold(module: &Module) {
    for variable in placed(module) {
        variable.set_section(SECTION);
    }
}

/// After them. Leaves: placed variables without a section.
pub fn release(module: &Module) {
    for variable in placed(module) {
        variable.set_section("");
    }
}

/// The variables that the layout makes: one of the module, and one per kernel.
fn placed(module: &Module) -> impl Iterator<Item = Value> {
    let globals = module.globals().into_iter();
    globals.filter(|global| {
        let name = global.name();
        name.starts_with("llvm.amdgcn.") && name.ends_with(".lds")
    })
}
