//! Lowers variadic functions and calls.
//!
//! Needs: the image's triple. GPUs pass variable arguments as a pointer to a packed buffer, and their `va_list` is that
//! pointer; x86 has another `va_list`. LLVM's own pass rewrites the GPUs' convention into plain IR, so it has to run
//! before the triple changes.

use anyhow::Result;

use super::unit::Unit;
use crate::ir::set_llvm_options;

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    if !unit
        .module
        .functions()
        .into_iter()
        .any(|function| function.value_type().is_variadic() && !function.is_intrinsic())
    {
        return Ok(());
    }
    // By default the pass leaves the work to the GPU's back end, which does not run here.
    set_llvm_options(&["-expand-variadics-override=lowering"]);
    unit.image_machine()?
        .run_passes(&unit.module, "expand-variadics")
}
