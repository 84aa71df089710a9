//! Tells the device runtime that the lanes of a wave are independent. Needs: the image's globals.
//!
//! On AMD GPUs lanes run in lockstep, and the device runtime ends a kernel whose lanes would wait for each other
//! (docs/abi.md, section 8). Here each lane is a fiber, so such kernels do go on.

use anyhow::Result;

use super::unit::Unit;
use crate::ir::Value;

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    if let Some(variable) = unit.module.global("__omptarget_independent_lanes") {
        variable.set_initializer(Value::int(variable.value_type(), 1));
    }
    Ok(())
}
