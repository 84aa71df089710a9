//! Needs: window checks and spin marks in place, lowerings inlined. Leaves: beside each kernel that can have one, its
//! warp form (`codegen::vgpu_abi::WarpEntryFn`); of the others, the reason.

use anyhow::Result;
use codegen::artifact::WarpForm;

use super::unit::Unit;

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    if !unit.options.warp_forms {
        return Ok(());
    }
    for kernel in &mut unit.kernels {
        kernel.warp = WarpForm::Absent("nothing has a warp form yet".to_owned());
    }
    Ok(())
}
